package wirefault

import (
	"net"
	"net/http"
)

// Reset ends the connection so that the caller's system reports a reset. It reports
// false where several requests share the connection, which it leaves alone.
func Reset(w http.ResponseWriter) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = inner.NetConn()
	}
	if tcp, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		// What fails here ends the connection too.
		_ = tcp.SetLinger(0)
	}
	// There is no one to tell.
	_ = conn.Close()
	return true
}
