package kms

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/service/kms/provider"
)

// throttle bounds how many calls to a remote provider run at once, and how long
// each takes.
type throttle struct {
	remote  Provider
	slots   chan struct{}
	timeout time.Duration
}

func newThrottle(remote Provider, limit int, timeout time.Duration) *throttle {
	return &throttle{remote: remote, slots: make(chan struct{}, limit), timeout: timeout}
}

// call runs fn in a free slot. Without one it refuses instead of queueing: a caller
// behind hundreds of others has given up before it could start.
func (b *throttle) call(ctx context.Context, fn func(ctx context.Context) error) error {
	select {
	case b.slots <- struct{}{}:
	default:
		return provider.NewError(provider.Throttled, nil,
			"too many calls to the key provider at once (%d); try again", cap(b.slots))
	}
	defer func() { <-b.slots }()
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return fn(ctx)
}

// Versions asks the remote; an empty list is a failure.
func (b *throttle) Versions(ctx context.Context) (versions []provider.Version, err error) {
	err = b.call(ctx, func(ctx context.Context) error {
		versions, err = b.remote.Versions(ctx)
		return err
	})
	if err == nil && len(versions) == 0 {
		err = provider.NewError(provider.Disabled, nil, "the key has no version")
	}
	return versions, err
}

// Wrap asks the remote.
func (b *throttle) Wrap(ctx context.Context, version string, secret, binding []byte) (wrapped []byte, err error) {
	err = b.call(ctx, func(ctx context.Context) error {
		wrapped, err = b.remote.Wrap(ctx, version, secret, binding)
		return err
	})
	return wrapped, err
}

// Unwrap asks the remote.
func (b *throttle) Unwrap(ctx context.Context, version string, wrapped, binding []byte) (secret []byte, err error) {
	err = b.call(ctx, func(ctx context.Context) error {
		secret, err = b.remote.Unwrap(ctx, version, wrapped, binding)
		return err
	})
	return secret, err
}

// Rotate asks the remote.
func (b *throttle) Rotate(ctx context.Context) error { return b.call(ctx, b.remote.Rotate) }

// Close closes the remote's connections.
func (b *throttle) Close() { b.remote.Close() }
