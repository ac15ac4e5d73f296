//go:build !linux

package listen

import "net"

// boundUnsent leaves what is kept for clients that do not read to the system.
func boundUnsent(*net.TCPConn) {}

// unsentBytes is not known.
func unsentBytes(*net.TCPConn) int { return 0 }
