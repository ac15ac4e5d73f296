// Package purge deletes the rows of cancelled events that no sync token can ask for any more.
package purge
