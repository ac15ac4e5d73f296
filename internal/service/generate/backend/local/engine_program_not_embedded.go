//go:build !stoa_engine

package local

// program is empty: a server built without the tag has no engine inside.
const program = ""
