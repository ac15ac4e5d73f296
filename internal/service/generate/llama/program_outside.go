//go:build !stoa_engine

package llama

// program is empty: a server built without the tag has no engine inside.
const program = ""
