package deliver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"

	"stoa.dev/stoa/internal/platform/outbound"
)

// guard decides about the address of every connection, at the moment it is made.
type guard struct{ deny *ssrf.Guardian }

func newGuard(allow []netip.Prefix) *guard {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return &guard{ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))}
}

// control is called between making a socket and connecting it, with the address the kernel will be given.
func (g *guard) control(network, address string, c syscall.RawConn) error {
	if err := g.deny.Safe(network, address, c); err != nil {
		return fmt.Errorf("%w: %s is not public; an operator can allow its range in deliver.allow", ErrForbidden, address)
	}
	return nil
}

// dialer connects through the guard. A nil resolver is the system's.
func (g *guard) dialer(gate *outbound.Gate, resolver *net.Resolver) dialFunc {
	dial := gate.Dial(outbound.Options{Timeout: connectTimeout, Control: g.control, Resolver: resolver})
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		switch {
		case err == nil || errors.Is(err, ErrForbidden):
			return conn, err
		case errors.Is(err, outbound.ErrOffline):
			return nil, fmt.Errorf("%w: %w", ErrForbidden, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrConnection, err)
	}
}
