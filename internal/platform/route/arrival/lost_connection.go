package arrival

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// Lost reports whether a read of a body failed because its sender is gone.
func Lost(err error) bool {
	_, ok := onConnection(err, true)
	return ok && !errors.Is(err, os.ErrDeadlineExceeded)
}

// Unread reports whether a write of an answer failed because its reader is gone, or stopped reading. Where a file is
// sent, net/http does not end the request's context for it.
func Unread(err error) bool {
	op, ok := onConnection(err, false)
	if !ok {
		return false
	}
	for _, end := range []error{
		syscall.ECONNRESET, syscall.EPIPE, syscall.ETIMEDOUT, syscall.ECONNABORTED, os.ErrDeadlineExceeded, net.ErrClosed,
	} {
		if errors.Is(op, end) {
			return true
		}
	}
	return false
}

// onConnection finds the error of a connection that is read, or of one that is written to.
func onConnection(err error, reading bool) (*net.OpError, bool) {
	op, ok := errors.AsType[*net.OpError](err)
	return op, ok && op.Op != "dial" && (op.Op == "read") == reading
}
