//go:build !small

package leftout

// Small reports which build this is.
const Small = false
