package kms

import (
	"context"

	"stoa.dev/stoa/internal/service/kms/provider"
)

// unconfigured stands for a provider that keys were published with and that is not
// configured any more.
type unconfigured struct{ name string }

func (a unconfigured) err() error {
	return provider.NewError(provider.Disabled, nil, "the key belongs to provider %s, which is not configured", a.name)
}

func (a unconfigured) Versions(context.Context) ([]provider.Version, error) { return nil, a.err() }

func (a unconfigured) Wrap(context.Context, string, []byte, []byte) ([]byte, error) {
	return nil, a.err()
}

func (a unconfigured) Unwrap(context.Context, string, []byte, []byte) ([]byte, error) {
	return nil, a.err()
}

func (a unconfigured) Rotate(context.Context) error { return a.err() }

func (a unconfigured) Close() {}
