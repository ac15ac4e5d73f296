package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// ErrOffline means that a connection was not made because the server is offline.
var ErrOffline = errors.New("the server is offline (setting offline, flag --offline) and connects to loopback only")

// Gate decides whether connections leave the machine. A nil Gate lets them.
type Gate struct{ offline bool }

// New makes a Gate.
func New(offline bool) *Gate { return &Gate{offline: offline} }

// Offline reports whether connections stay on this machine.
func (g *Gate) Offline() bool { return g != nil && g.offline }

// Check refuses the address of a URL that is beyond loopback while the server
// is offline. A name that stands for loopback is judged when it is dialled.
func (g *Gate) Check(address string) error {
	if !g.Offline() {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%w: the address is not a URL", ErrOffline)
	}
	return g.checkHost(u.Hostname())
}

// CheckURL is Check for what must be a setting: it tells which one.
func CheckURL(setting, address string) error {
	if err := New(true).Check(address); err != nil {
		return fmt.Errorf("offline: %s is not an address of this machine's loopback: remove it, or leave offline out",
			setting)
	}
	return nil
}

func (g *Gate) checkHost(host string) error {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	return ErrOffline
}

// Control looks at an address between the making of a socket and its connection.
type Control = func(network, address string, conn syscall.RawConn) error

// Options shape connections; zero values mean no limit.
type Options struct {
	// Timeout bounds a connection attempt.
	Timeout time.Duration
	// Control refuses addresses besides those that the Gate refuses.
	Control Control
	// Resolver looks names up; nil means the system's.
	Resolver *net.Resolver
	// Proxy uses the proxies of the environment. It is for addresses that an
	// operator configured: a proxy connects where no Control looks.
	Proxy bool
}

// keepAlive is how often an idle connection is probed.
const keepAlive = 30 * time.Second

// Dial makes a function that connects through the Gate.
func (g *Gate) Dial(o Options) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: o.Timeout, KeepAlive: keepAlive, Resolver: o.Resolver, Control: o.Control}
	if !g.Offline() {
		return d.DialContext
	}
	d.Control = func(network, address string, conn syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		if err := g.checkHost(host); err != nil {
			return err
		}
		if o.Control == nil {
			return nil
		}
		return o.Control(network, address, conn)
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if err := g.checkHost(host); err != nil {
			return nil, err
		}
		return d.DialContext(ctx, network, address)
	}
}

// Transport makes a transport that connects through the Gate. The caller sets
// its other fields before the first use.
func (g *Gate) Transport(o Options) *http.Transport {
	t := &http.Transport{DialContext: g.Dial(o), ForceAttemptHTTP2: true}
	if o.Proxy && !g.Offline() {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}
