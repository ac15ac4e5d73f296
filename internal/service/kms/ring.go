package kms

import (
	"time"

	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// heldKey is a key ready for use. It never changes.
type heldKey struct {
	Key
	// local is the opened key of the local provider.
	local *envelope.Key
	// broken says why a local key cannot be used.
	broken error
}

// ring is every key this process knows, at one moment. It never changes: a new
// ring takes its place.
type ring struct {
	keys map[string]*heldKey
	// current is the newest published key, nil when there is none.
	current *heldKey
}

// hold builds the ring of what is stored and what the remote lists, and takes
// over what the last ring had already opened.
func (s *Service) hold(keys []Key, versions []provider.Version) *ring {
	last := s.ring.Load()
	next := &ring{keys: make(map[string]*heldKey, len(keys))}
	for _, k := range keys {
		h := s.holdKey(k, last.keys[k.ID])
		next.keys[k.ID] = h
		if k.Seq > 0 && (next.current == nil || k.Seq > next.current.Seq) {
			next.current = h
		}
	}
	// A version that another plugin published has the id we would give it.
	for _, v := range versions {
		for generation := range generations {
			id := remoteID(s.config.Provider, v, generation)
			if next.keys[id] == nil {
				next.keys[id] = &heldKey{Key: Key{ID: id, Provider: s.config.Provider, Version: v.Name, Stamp: v.Stamp}}
			}
		}
	}
	return next
}

// replacedAt is when the key after this one was published.
func (r *ring) replacedAt(k *heldKey) time.Time {
	next := r.current
	for _, other := range r.keys {
		if other.Seq > k.Seq && other.Seq < next.Seq && k.Seq > 0 {
			next = other
		}
	}
	return next.CreatedAt
}

func (s *Service) holdKey(k Key, last *heldKey) *heldKey {
	h := &heldKey{Key: k}
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
		return nil, fail(CodeUnusable, err, "key %s is sealed under another root key; start with the root key it was made with", k.ID)
	}
	defer clear(secret)
	return envelope.NewKey(secret, s.world.IDs)
}

func materialBinding(id string) []byte { return []byte("kms key " + id) }

// usable tells why a key cannot be used, nil when it can.
func (h *heldKey) usable() error {
	if !h.DestroyedAt.IsZero() {
		return errDestroyed(h)
	}
	return h.broken
}
