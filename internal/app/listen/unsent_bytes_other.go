//go:build !linux

package listen

import "net"

// boundUnsent leaves what is kept for clients that do not read to the system.
func boundUnsent(*net.TCPConn) {}
