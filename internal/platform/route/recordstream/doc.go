// Package recordstream sends the requests of a world as server-sent events while they are answered.
package recordstream
