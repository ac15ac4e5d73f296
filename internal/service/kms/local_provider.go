package kms

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// localProvider is the provider that keeps keys in the store, sealed under the
// root key. A version is a key id.
type localProvider struct{ service *Service }

var _ Provider = localProvider{}

var errNoLocalKey = errors.New("no such local key")

func (l localProvider) key(version string) (*envelope.Key, error) {
	h := l.service.keyring.Load().keys[version]
	if h == nil || h.local == nil {
		return nil, provider.NewError(provider.Disabled, errNoLocalKey, "local key %s cannot be used", clipID(version))
	}
	return h.local, nil
}

// Versions is empty: the store has the list.
func (l localProvider) Versions(context.Context) ([]provider.Version, error) { return nil, nil }

// Wrap seals the data key under the key-encryption key.
func (l localProvider) Wrap(_ context.Context, version string, secret, binding []byte) ([]byte, error) {
	k, err := l.key(version)
	if err != nil {
		return nil, err
	}
	return k.Seal(secret, binding)
}

// Unwrap opens what Wrap sealed.
func (l localProvider) Unwrap(_ context.Context, version string, wrapped, binding []byte) ([]byte, error) {
	k, err := l.key(version)
	if err != nil {
		return nil, err
	}
	secret, err := k.Open(wrapped, binding)
	if err != nil {
		return nil, provider.NewError(provider.Refused, err, "the wrapped key does not open under key %s", version)
	}
	return secret, nil
}

// Rotate does nothing: publishing makes the key, see newLocalKey.
func (l localProvider) Rotate(context.Context) error { return nil }

// Close does nothing.
func (l localProvider) Close() {}

// newLocalKey draws a key-encryption key and seals it under the root key.
func (s *Service) newLocalKey() Key {
	id := ProviderLocal + "-" + s.world.IDs.Hex(idDigits)
	secret := make([]byte, envelope.KeySize)
	defer clear(secret)
	_, _ = s.world.IDs.Read(secret) // never fails
	return Key{
		ID: id, Provider: ProviderLocal, Version: id,
		Material: s.world.Seal.Seal(secret, materialBinding(id)),
	}
}
