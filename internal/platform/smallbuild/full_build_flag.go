//go:build !small

package smallbuild

// Enabled reports whether this is the small build.
const Enabled = false
