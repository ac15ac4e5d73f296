package app

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"

	"stoa.dev/stoa/internal/platform/module"
)

// listeners are the open addresses; secure is nil without HTTPS.
type listeners struct {
	plain, secure net.Listener
}

// open takes the addresses. Whoever connects waits until they are served.
func (c ListenConfig) open(ctx context.Context) (l listeners, err error) {
	if l.plain, err = listenOn(ctx, c.HTTP, "--listen"); err != nil || c.HTTPS == "" {
		return l, err
	}
	if l.secure, err = listenOn(ctx, c.HTTPS, "--https"); err != nil {
		return listeners{}, errors.Join(err, l.close())
	}
	return l, nil
}

// close gives the addresses back; a server that has closed its own is no
// failure.
func (l listeners) close() error {
	var failed []error
	for _, one := range []net.Listener{l.plain, l.secure} {
		if one == nil {
			continue
		}
		if err := one.Close(); !errors.Is(err, net.ErrClosed) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Free tells why the addresses cannot be taken, nil when they can.
func (c ListenConfig) Free(ctx context.Context) error {
	l, err := c.open(ctx)
	if err != nil {
		return err
	}
	return l.close()
}

// listenOn names the address once and the flag that chooses another.
func listenOn(ctx context.Context, address, flag string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		return l, nil
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, module.Fail(module.Failed, "choose another with "+flag+" (127.0.0.1:0 takes a free one); "+
			"with make: make run RUN_ARGS=\""+flag+" 127.0.0.1:0\"", "%s is in use", address)
	}
	// The system's own words, without the address a second time.
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return nil, module.Fail(module.Failed, "choose another address with "+flag, "cannot listen on %s: %w", address, err)
}
