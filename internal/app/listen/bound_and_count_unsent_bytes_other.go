//go:build !linux

package listen

import "net"

// boundUnsent leaves what is kept for clients that do not read to the system.
func boundUnsent(*net.TCPConn) {}

// takenBytes is not known.
func takenBytes(*net.TCPConn) (taken int64, left int) { return 0, 0 }
