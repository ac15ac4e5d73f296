package registry

import (
	"net"
	"sync"
	"syscall"

	"code.dny.dev/ssrf"

	"stoa.dev/stoa/internal/platform/outbound"
)

// guard keeps documents of a registry from leading the client into the user's
// network. The user's own registries may be there; a host name that a
// document gives may only be public, or be the very machine a registry of the
// user answered from: mirrors serve files under a second name.
type guard struct {
	public outbound.Control

	mu    sync.Mutex
	known map[string]bool
}

func newGuard() *guard {
	return &guard{public: ssrf.New(ssrf.WithAnyPort()).Safe, known: map[string]bool{}}
}

// learn remembers where a trusted host is.
func (g *guard) learn(_, address string, _ syscall.RawConn) error {
	ip, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[ip] = true
	return nil
}

func (g *guard) check(network, address string, conn syscall.RawConn) error {
	ip, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	g.mu.Lock()
	known := g.known[ip] && !net.ParseIP(ip).IsLoopback()
	g.mu.Unlock()
	if known {
		return nil
	}
	return g.public(network, address, conn)
}
