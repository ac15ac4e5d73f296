package listen

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"syscall"

	"stoa.dev/stoa/internal/platform/module"
)

// addresses are the open TCP listeners; secure is nil without HTTPS.
type addresses struct {
	plain, secure net.Listener
}

// open takes the addresses. Connections wait until they are served.
func (c Config) open(ctx context.Context) (a addresses, err error) {
	if a.plain, err = listenOn(ctx, c.LastHTTP, c.HTTP, "--listen"); err != nil || c.HTTPS == "" {
		return a, err
	}
	if a.secure, err = listenOn(ctx, c.LastHTTPS, c.HTTPS, "--https"); err != nil {
		return addresses{}, errors.Join(err, a.close())
	}
	return a, nil
}

// close gives the addresses back. That a server has closed its own is not a
// failure.
func (a addresses) close() error {
	var failed []error
	for _, l := range []net.Listener{a.plain, a.secure} {
		if l == nil {
			continue
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Free returns why the addresses cannot be taken, nil when they can.
func (c Config) Free(ctx context.Context) error {
	a, err := c.open(ctx)
	if err != nil {
		return err
	}
	return a.close()
}

// listenOn takes the address of the last start, or the one that is asked for when
// another program has it. An error names the address once and the flag that chooses
// another.
func listenOn(ctx context.Context, last, address, flag string) (net.Listener, error) {
	var tcp net.ListenConfig
	if last != "" {
		if l, err := tcp.Listen(ctx, "tcp", last); err == nil {
			return l, nil
		}
	}
	l, err := tcp.Listen(ctx, "tcp", address)
	if err == nil {
		return l, nil
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		next := "choose another with " + flag + " (127.0.0.1:0 takes a free one)"
		if _, port, err := net.SplitHostPort(address); err == nil && runtime.GOOS == "linux" {
			next += "; ss -ltnp sport = :" + port + " shows which program has it"
		}
		return nil, module.Fail(module.Failed, next, "%s is in use", address)
	}
	// The system's own words, without the address a second time.
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return nil, module.Fail(module.Failed, "choose another address with "+flag, "cannot listen on %s: %w", address, err)
}
