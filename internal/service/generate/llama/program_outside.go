//go:build !stoa_engine

package llama

// program is read-only: a server built without the tag has no engine inside.
var program []byte
