package listen

import (
	"net"

	"golang.org/x/sys/unix"
)

// maxUnsent is how much of an answer the system takes for a client that does not read, beside
// what is on its way. Without it that is megabytes for each connection, and nothing says that
// the client is slow until they are full.
const maxUnsent = 256 << 10

// boundUnsent is asked for each connection: those of a listener for several paths (MPTCP)
// do not have what its socket has.
func boundUnsent(c *net.TCPConn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return // it is closed, which its first read says
	}
	// A system that does not know the option keeps more.
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
	})
}

// takenBytes is how much the client's system has taken in all, and how much of what was written it
// has not; nothing is left where that is not known.
func takenBytes(c *net.TCPConn) (taken int64, left int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0 // it is closed
	}
	// Of one that is closed meanwhile nothing is left.
	_ = raw.Control(func(fd uintptr) {
		queue, err := unix.IoctlGetInt(int(fd), unix.TIOCOUTQ)
		if err != nil || queue == 0 {
			return
		}
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil {
			taken, left = int64(info.Bytes_acked), queue
		}
	})
	return taken, left
}
