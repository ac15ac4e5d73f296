package kms

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/service/kms/envelope"
)

// Decrypt opens what Encrypt answered.
func (s *Service) Decrypt(ctx context.Context, m Sealed) ([]byte, error) {
	wrapped, err := checkSealed(m)
	if err != nil {
		return nil, err
	}
	s.refreshStale(s.world.Clock.Now())
	k := s.keyring.Load().keys[m.KeyID]
	if k == nil {
		if k, err = s.findPublished(ctx, m.KeyID); err != nil {
			return nil, err
		}
	}
	if err := k.checkUsable(); err != nil {
		return nil, err
	}
	d := s.cache.get(m.KeyID, wrapped)
	if d == nil {
		if d, err = s.unwrap(ctx, k, wrapped); err != nil {
			return nil, err
		}
	}
	plaintext, err := d.key.Open(m.Ciphertext, d.binding)
	if err != nil {
		return nil, errInvalid("the ciphertext does not belong to this key id and these annotations, or was altered").
			because(err)
	}
	return plaintext, nil
}

// checkSealed checks sizes and shape and returns the wrapped data key.
func checkSealed(m Sealed) ([]byte, error) {
	switch {
	case len(m.Ciphertext) == 0:
		return nil, errInvalid("ciphertext is empty")
	case len(m.Ciphertext) > maxCiphertextIn:
		return nil, errInvalid("ciphertext has %d bytes, at most %d are allowed", len(m.Ciphertext), maxCiphertextIn)
	case m.KeyID == "":
		return nil, errInvalid("key_id is empty")
	case len(m.KeyID) > maxKeyIDIn:
		return nil, errInvalid("key_id has %d bytes, at most %d are allowed", len(m.KeyID), maxKeyIDIn)
	}
	total := 0
	for name, value := range m.Annotations {
		total += len(name) + len(value)
	}
	if total > maxAnnotationsIn {
		return nil, errInvalid("annotations have %d bytes, at most %d are allowed", total, maxAnnotationsIn)
	}
	wrapped := m.Annotations[annotation]
	if len(m.Annotations) != 1 || len(wrapped) == 0 {
		return nil, errInvalid("annotations must hold %s and nothing else", annotation)
	}
	return wrapped, nil
}

// minRefresh bounds how often unknown key ids cause reads of the store and the
// provider.
const minRefresh = time.Second

// findPublished finds a key that another process published since the last refresh.
func (s *Service) findPublished(ctx context.Context, id string) (*loadedKey, error) {
	var err error
	now := s.world.Clock.Now()
	if now.Sub(*s.storeReadAt.Load()) >= minRefresh {
		_, err = s.shared.Do(ctx, "refresh", func(ctx context.Context) (any, error) {
			return nil, s.change(ctx, s.refresh)
		})
	}
	if k := s.keyring.Load().keys[id]; k != nil {
		return k, nil
	}
	// A failed refresh does not show that there is no such key.
	if err != nil {
		return nil, asError("the key provider", err)
	}
	if now.Sub(*s.storeReadAt.Load()) >= minRefresh {
		return nil, errStore(nil)
	}
	return nil, errUnknownKey(id)
}

// unwrap has a data key opened, once for all callers that wait for it.
func (s *Service) unwrap(ctx context.Context, k *loadedKey, wrapped []byte) (*dataKey, error) {
	got, err := s.shared.Do(ctx, "unwrap "+k.ID+" "+string(wrapped), func(ctx context.Context) (any, error) {
		secret, err := s.providerOf(k.Provider).Unwrap(ctx, k.Version, wrapped, wrapBinding(k.ID))
		if err != nil {
			return nil, err
		}
		defer clear(secret)
		key, err := envelope.NewKey(secret, s.world.IDs)
		if err != nil {
			return nil, errInvalid("the annotations hold no data key of this plugin")
		}
		// The request's memory is used again.
		d := newDataKey(k.ID, append([]byte(nil), wrapped...), key)
		s.cache.put(d)
		return d, nil
	})
	if err != nil {
		return nil, asError("the key provider", err)
	}
	return got.(*dataKey), nil
}
