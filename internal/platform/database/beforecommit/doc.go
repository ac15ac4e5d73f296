// Package beforecommit adds work to the end of every transaction of a context.
package beforecommit
