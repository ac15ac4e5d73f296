package kms

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/service/kms/provider"
)

// bounded keeps a remote provider from being asked too often at once or waited
// for too long.
type bounded struct {
	remote  Provider
	slots   chan struct{}
	timeout time.Duration
}

func newBounded(remote Provider, most int, timeout time.Duration) *bounded {
	return &bounded{remote: remote, slots: make(chan struct{}, most), timeout: timeout}
}

// call runs fn in a free slot; without one it refuses instead of queueing,
// because whoever waits behind hundreds has given up when its turn comes.
func (b *bounded) call(ctx context.Context, fn func(ctx context.Context) error) error {
	select {
	case b.slots <- struct{}{}:
	default:
		return provider.Fail(provider.Throttled, nil, "too many calls to the key provider at once (%d); try again", cap(b.slots))
	}
	defer func() { <-b.slots }()
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return fn(ctx)
}

// Versions asks the remote; an empty list is a failure.
func (b *bounded) Versions(ctx context.Context) (versions []provider.Version, err error) {
	err = b.call(ctx, func(ctx context.Context) error {
		versions, err = b.remote.Versions(ctx)
		return err
	})
	if err == nil && len(versions) == 0 {
		err = provider.Fail(provider.Disabled, nil, "the key has no version")
	}
	return versions, err
}

// Wrap asks the remote.
func (b *bounded) Wrap(ctx context.Context, version string, secret, binding []byte) (wrapped []byte, err error) {
	err = b.call(ctx, func(ctx context.Context) error {
		wrapped, err = b.remote.Wrap(ctx, version, secret, binding)
		return err
	})
	return wrapped, err
}

// Unwrap asks the remote.
func (b *bounded) Unwrap(ctx context.Context, version string, wrapped, binding []byte) (secret []byte, err error) {
	err = b.call(ctx, func(ctx context.Context) error {
		secret, err = b.remote.Unwrap(ctx, version, wrapped, binding)
		return err
	})
	return secret, err
}

// Rotate asks the remote.
func (b *bounded) Rotate(ctx context.Context) error { return b.call(ctx, b.remote.Rotate) }

// Close ends the remote's connections.
func (b *bounded) Close() { b.remote.Close() }

// absent stands for a provider that keys were published with and that is no
// longer configured.
type absent struct{ name string }

func (a absent) fail() error {
	return provider.Fail(provider.Disabled, nil, "the key belongs to provider %s, which is not configured", a.name)
}

func (a absent) Versions(context.Context) ([]provider.Version, error) { return nil, a.fail() }
func (a absent) Wrap(context.Context, string, []byte, []byte) ([]byte, error) {
	return nil, a.fail()
}

func (a absent) Unwrap(context.Context, string, []byte, []byte) ([]byte, error) {
	return nil, a.fail()
}
func (a absent) Rotate(context.Context) error { return a.fail() }
func (a absent) Close()                       {}
