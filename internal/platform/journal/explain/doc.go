// Package explain adds to the reason of a refused credential what the answer does not say.
package explain
