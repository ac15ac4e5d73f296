// Package journalstream sends the records of a world's journal as server-sent events: each request when it is answered.
package journalstream
