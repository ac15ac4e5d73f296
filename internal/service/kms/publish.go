package kms

import (
	"context"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// writer is what new messages are encrypted with. Status and Encrypt read the
// same one, so they change key at the same instant.
type writer struct {
	key *heldKey
	// data is nil while the provider has not wrapped a data key yet.
	data *dataKey
}

// refresh learns what other processes and the remote did, publishes what is
// new, and changes to the newest key. Nothing that worked before stops working
// when it fails. The caller holds s.changing.
func (s *Service) refresh(ctx context.Context) error {
	keys, err := storedKeys(ctx, s.world.DB)
	if err != nil {
		return s.storeFailure(err)
	}
	now := s.world.Clock.Now()
	s.storeSeen.Store(&now)
	versions, remote := s.providerOf(s.config.Provider).Versions(ctx)
	if remote == nil {
		s.versions = versions
		published, err := s.settle(ctx, keys)
		if err != nil {
			return s.storeFailure(err)
		}
		if published {
			if keys, err = storedKeys(ctx, s.world.DB); err != nil {
				return s.storeFailure(err)
			}
		}
	}
	s.ring.Store(s.hold(keys, s.versions))
	s.dropDestroyed(keys)
	if remote != nil {
		s.nameLast()
		return remote
	}
	return s.advance(ctx)
}

// nameLast gives Status an id, and nothing to encrypt with, when the provider is
// silent from the start on: the one that was last published with it.
func (s *Service) nameLast() {
	if last := s.ring.Load().current; s.writer.Load() == nil && last != nil && last.Provider == s.config.Provider {
		s.writer.Store(&writer{key: last})
	}
}

// storeTolerance is how long the store may be silent before Status says so: the
// keys are in memory, and a database that fails over is back sooner.
const storeTolerance = 30 * time.Second

// storeFailure is for those who only read: whoever writes is told at once.
func (s *Service) storeFailure(err error) error {
	if s.writer.Load() != nil && s.world.Clock.Now().Sub(*s.storeSeen.Load()) < storeTolerance {
		return nil
	}
	return errStore(err)
}

// settle publishes the provider's newest version if the newest published key
// is another, and reports whether it did.
func (s *Service) settle(ctx context.Context, keys []Key) (bool, error) {
	last := Key{}
	if n := len(keys); n > 0 && keys[n-1].Seq > 0 {
		last = keys[n-1]
	}
	if !s.behind(last) {
		return false, nil
	}
	_, err := s.publish(ctx, s.behind)
	return err == nil, err
}

// behind reports whether the key is not the one the provider encrypts with.
func (s *Service) behind(last Key) bool {
	if last.Seq == 0 || last.Provider != s.config.Provider {
		return true
	}
	if s.config.Provider == ProviderLocal {
		return false
	}
	v := s.versions[len(s.versions)-1]
	return last.Version != v.Name || last.Stamp != v.Stamp
}

// publish makes a key durable after the newest one, if that is due. An id that
// was ever used is not used again: the next generation's is.
func (s *Service) publish(ctx context.Context, due func(last Key) bool) (Key, error) {
	k := Key{}
	if s.config.Provider == ProviderLocal {
		k = s.newLocal()
	} else {
		v := s.versions[len(s.versions)-1]
		k = Key{Provider: s.config.Provider, Version: v.Name, Stamp: v.Stamp}
	}
	k.CreatedAt = s.world.Clock.Now()
	var made Key
	err := s.world.DB.WriteKeyed(ctx, publishing, func(ctx context.Context, tx *database.Tx) error {
		made = Key{}
		last, _, err := lastKey(ctx, tx)
		if err != nil || !due(last) {
			return err
		}
		next := k
		next.Seq = last.Seq + 1
		if next.ID == "" {
			if next.ID, err = s.freshID(ctx, tx, next); err != nil {
				return err
			}
		}
		made = next
		return insertKey(ctx, tx, next)
	})
	if err != nil {
		return Key{}, err
	}
	if made.ID != "" {
		s.world.Telemetry.Log.Info("key published", "service", Name, "id", made.ID, "provider", made.Provider)
	}
	return made, nil
}

// freshID is the first generation of the version's id that was never used.
func (s *Service) freshID(ctx context.Context, tx *database.Tx, k Key) (string, error) {
	keys, err := storedKeys(ctx, tx)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	for _, old := range keys {
		used[old.ID] = true
	}
	for generation := range generations {
		id := remoteID(k.Provider, provider.Version{Name: k.Version, Stamp: k.Stamp}, generation)
		if !used[id] {
			return id, nil
		}
	}
	return "", fmt.Errorf("version %s became current more than %d times; rotate the remote key", k.Version, generations)
}

// advance changes to the newest key once a data key is wrapped under it. Until
// then Status and Encrypt stay with the old one, together.
func (s *Service) advance(ctx context.Context) error {
	newest, w := s.ring.Load().current, s.writer.Load()
	if newest == nil {
		return errNoKey()
	}
	if w != nil && w.data != nil && w.key.Seq >= newest.Seq {
		return nil
	}
	d, err := s.makeDataKey(ctx, newest)
	if err != nil {
		s.nameLast()
		return err
	}
	s.writer.Store(&writer{key: newest, data: d})
	return nil
}

// makeDataKey draws a data key and has it wrapped.
func (s *Service) makeDataKey(ctx context.Context, k *heldKey) (*dataKey, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	secret := make([]byte, envelope.KeySize)
	defer clear(secret)
	_, _ = s.world.IDs.Read(secret) // never fails
	wrapped, err := s.providerOf(k.Provider).Wrap(ctx, k.Version, secret, wrapBinding(k.ID))
	if err != nil {
		return nil, err
	}
	key, err := envelope.NewKey(secret, s.world.IDs)
	if err != nil {
		return nil, err
	}
	d := newDataKey(k.ID, wrapped, key)
	if err := d.checkOut(); err != nil {
		return nil, err
	}
	d.bornAt = s.world.Clock.Now()
	s.cache.put(d)
	return d, nil
}

// dropDestroyed forgets the data keys of keys that any process destroyed. One
// that we still encrypted with, because the next could not be had, is of no more
// use either.
func (s *Service) dropDestroyed(keys []Key) {
	w := s.writer.Load()
	for _, k := range keys {
		if k.DestroyedAt.IsZero() {
			continue
		}
		s.cache.drop(k.ID)
		if w != nil && w.key.ID == k.ID {
			s.writer.Store(&writer{key: s.ring.Load().keys[k.ID]})
		}
	}
}
