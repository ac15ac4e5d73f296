package kms

import (
	"time"

	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// loadedKey is a key ready for use. It never changes.
type loadedKey struct {
	Key
	// local is the opened key of the local provider.
	local *envelope.Key
	// broken is why a local key cannot be used.
	broken error
}

// keyring is every key that this process knows, at one moment. It never changes: a
// new one takes its place.
type keyring struct {
	keys map[string]*loadedKey
	// current is the newest published key, or nil.
	current *loadedKey
}

// loadKeyring makes the keyring of what is stored and what the remote lists, and
// takes over the local keys that the last keyring has opened.
func (s *Service) loadKeyring(keys []Key, versions []provider.Version) *keyring {
	last := s.keyring.Load()
	next := &keyring{keys: make(map[string]*loadedKey, len(keys))}
	for _, k := range keys {
		h := s.loadKey(k, last.keys[k.ID])
		next.keys[k.ID] = h
		if k.Seq > 0 && (next.current == nil || k.Seq > next.current.Seq) {
			next.current = h
		}
	}
	// A version that another plugin published has the id that this one would give it.
	for _, v := range versions {
		for generation := range maxGenerations {
			id := remoteID(s.config.Provider, v, generation)
			if next.keys[id] == nil {
				next.keys[id] = &loadedKey{Key: Key{
					ID: id, Provider: s.config.Provider, Version: v.Name, Stamp: v.Stamp,
				}}
			}
		}
	}
	return next
}

// replacedAt is when the key after this one was published.
func (r *keyring) replacedAt(k *loadedKey) time.Time {
	next := r.current
	for _, other := range r.keys {
		if other.Seq > k.Seq && other.Seq < next.Seq && k.Seq > 0 {
			next = other
		}
	}
	return next.CreatedAt
}

func (s *Service) loadKey(k Key, last *loadedKey) *loadedKey {
	h := &loadedKey{Key: k}
	if k.Provider != ProviderLocal || !k.DestroyedAt.IsZero() {
		return h
	}
	if last != nil && last.local != nil {
		h.local = last.local
		return h
	}
	h.local, h.broken = s.openMaterial(k)
	return h
}

// openMaterial unseals a local key with the root key.
func (s *Service) openMaterial(k Key) (*envelope.Key, error) {
	secret, err := s.world.Seal.Open(k.Material, materialBinding(k.ID))
	if err != nil {
		return nil, errUnusable("key %s is sealed under another root key; start with the root key it was made with",
			k.ID).because(err)
	}
	defer clear(secret)
	return envelope.NewKey(secret, s.world.IDs)
}

func materialBinding(id string) []byte { return []byte("kms key " + id) }

// checkUsable checks that the key is not destroyed and could be opened.
func (h *loadedKey) checkUsable() error {
	if !h.DestroyedAt.IsZero() {
		return errDestroyed(h)
	}
	return h.broken
}
