//go:build !unix

package listen

// descriptorLimit is zero: the system has no such bound.
func descriptorLimit() uint64 { return 0 }
