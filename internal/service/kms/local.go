package kms

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// localKeys is the provider that keeps keys in the store, sealed under the
// root key. A version is a key id.
type localKeys struct{ service *Service }

var _ Provider = localKeys{}

var errNoLocalKey = errors.New("no such local key")

func (l localKeys) key(version string) (*envelope.Key, error) {
	h := l.service.ring.Load().keys[version]
	if h == nil || h.local == nil {
		return nil, provider.Fail(provider.Disabled, errNoLocalKey, "local key %s cannot be used", shorten(version))
	}
	return h.local, nil
}

// Versions lists nothing: the store is the list.
func (l localKeys) Versions(context.Context) ([]provider.Version, error) { return nil, nil }

// Wrap seals the data key under the key-encryption key.
func (l localKeys) Wrap(_ context.Context, version string, secret, binding []byte) ([]byte, error) {
	k, err := l.key(version)
	if err != nil {
		return nil, err
	}
	return k.Seal(secret, binding)
}

// Unwrap opens what Wrap sealed.
func (l localKeys) Unwrap(_ context.Context, version string, wrapped, binding []byte) ([]byte, error) {
	k, err := l.key(version)
	if err != nil {
		return nil, err
	}
	secret, err := k.Open(wrapped, binding)
	if err != nil {
		return nil, provider.Fail(provider.Refused, err, "the wrapped key does not open under key %s", version)
	}
	return secret, nil
}

// Rotate does nothing by itself: publishing makes the key, see newLocal.
func (l localKeys) Rotate(context.Context) error { return nil }

// Close has nothing to let go of.
func (l localKeys) Close() {}

// newLocal draws a key-encryption key and seals it under the root key.
func (s *Service) newLocal() Key {
	id := ProviderLocal + "-" + s.world.IDs.Hex(idDigits)
	secret := make([]byte, envelope.KeySize)
	defer clear(secret)
	_, _ = s.world.IDs.Read(secret) // never fails
	return Key{
		ID: id, Provider: ProviderLocal, Version: id,
		Material: s.world.Seal.Seal(secret, materialBinding(id)),
	}
}
