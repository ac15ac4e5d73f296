package kms

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// activeKey is what new messages are encrypted with. Status and Encrypt read the
// same one, so they change key at the same instant.
type activeKey struct {
	key *loadedKey
	// data is nil while the provider has not wrapped a data key yet.
	data *dataKey
}

// refresh is update for callers that read. A store that does not do its part is passed over for a while: what works
// without it goes on.
func (s *Service) refresh(ctx context.Context) error {
	store, err := s.update(ctx)
	if store != nil && !s.toleratesStore() {
		return errStore(store)
	}
	return err
}

// refreshToWrite is refresh for callers that change keys: they get what the store fails with at once.
func (s *Service) refreshToWrite(ctx context.Context) error {
	store, err := s.update(ctx)
	if store != nil {
		return errStore(store)
	}
	return err
}

// update reads what other processes and the remote did, publishes what is new, and
// activates the newest key. Nothing that worked before stops working when it fails; a
// failure of the store is told apart from others.
// The caller holds s.changeMu.
func (s *Service) update(ctx context.Context) (store, err error) {
	keys, err := listKeys(ctx, s.world.DB)
	if err != nil {
		return err, nil
	}
	now := s.world.Clock.Now()
	s.storeReadAt.Store(&now)
	versions, remote := s.providerOf(s.config.Provider).Versions(ctx)
	if remote == nil {
		s.versions = versions
		keys, store = s.publishNewest(ctx, keys)
	}
	if store == nil {
		s.storeWorkedAt = now
	}
	// What was read holds also when nothing could be published.
	s.keyring.Store(s.loadKeyring(keys, s.versions))
	s.dropDestroyed(keys)
	if remote != nil {
		s.activateIDOnly()
		return store, remote
	}
	return store, s.activate(ctx)
}

// activateIDOnly gives Status an id, and nothing to encrypt with, when the provider
// does not answer from the start on: that of the last key published with it.
func (s *Service) activateIDOnly() {
	if last := s.keyring.Load().current; s.active.Load() == nil && last != nil && last.Provider == s.config.Provider {
		s.active.Store(&activeKey{key: last})
	}
}

// storeTolerance is how long the store may fail before Status says so: the keys
// are in memory, and a database that fails over is back sooner.
const storeTolerance = 30 * time.Second

// toleratesStore reports whether a failure of the store, to be read or to be written, is passed over.
func (s *Service) toleratesStore() bool {
	return s.active.Load() != nil && s.world.Clock.Now().Sub(s.storeWorkedAt) < storeTolerance
}

// publishNewest publishes the provider's newest version if the newest published key
// is another, and lists what is published then.
func (s *Service) publishNewest(ctx context.Context, keys []Key) ([]Key, error) {
	last := Key{}
	if n := len(keys); n > 0 && keys[n-1].Seq > 0 {
		last = keys[n-1]
	}
	if !s.outdated(last) {
		return keys, nil
	}
	if _, err := s.publish(ctx, s.outdated); err != nil {
		return keys, err
	}
	published, err := listKeys(ctx, s.world.DB)
	if err != nil {
		return keys, err
	}
	return published, nil
}

// outdated reports whether the key is not the one that the provider encrypts with.
func (s *Service) outdated(last Key) bool {
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
		k = s.newLocalKey()
	} else {
		v := s.versions[len(s.versions)-1]
		k = Key{Provider: s.config.Provider, Version: v.Name, Stamp: v.Stamp}
	}
	k.CreatedAt = s.world.Clock.Now()
	var made Key
	err := s.world.DB.WriteKeyed(ctx, publishLock, func(ctx context.Context, tx *database.Tx) error {
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
		level := slog.LevelInfo
		if made.Seq == 1 {
			level = slog.LevelDebug // the first one changes nothing for callers, and is made at every first start
		}
		s.world.Telemetry.Log.LogAttrs(ctx, level, "key published",
			slog.String("service", Name), slog.String("id", made.ID), slog.String("provider", made.Provider))
	}
	return made, nil
}

// freshID is the first generation of the version's id that was never used.
func (s *Service) freshID(ctx context.Context, tx *database.Tx, k Key) (string, error) {
	keys, err := listKeys(ctx, tx)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	for _, old := range keys {
		used[old.ID] = true
	}
	for generation := range maxGenerations {
		id := remoteID(k.Provider, provider.Version{Name: k.Version, Stamp: k.Stamp}, generation)
		if !used[id] {
			return id, nil
		}
	}
	return "", fmt.Errorf("version %s became current more than %d times; rotate the remote key",
		k.Version, maxGenerations)
}

// activate changes to the newest key once a data key is wrapped under it. Until
// then Status and Encrypt stay with the old one, together.
func (s *Service) activate(ctx context.Context) error {
	newest, w := s.keyring.Load().current, s.active.Load()
	if newest == nil {
		return errNoKey()
	}
	if w != nil && w.data != nil && w.key.Seq >= newest.Seq {
		return nil
	}
	d, err := s.makeDataKey(ctx, newest)
	if err != nil {
		s.activateIDOnly()
		return err
	}
	s.active.Store(&activeKey{key: newest, data: d})
	return nil
}

// makeDataKey draws a data key and has it wrapped.
func (s *Service) makeDataKey(ctx context.Context, k *loadedKey) (*dataKey, error) {
	if err := k.checkUsable(); err != nil {
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
	if err := d.checkSizes(); err != nil {
		return nil, err
	}
	d.createdAt = s.world.Clock.Now()
	s.cache.put(d)
	return d, nil
}

// dropDestroyed forgets the data keys of keys that any process destroyed. If one of
// them is active, because the next could not be activated, it is not used any more.
func (s *Service) dropDestroyed(keys []Key) {
	w := s.active.Load()
	for _, k := range keys {
		if k.DestroyedAt.IsZero() {
			continue
		}
		s.cache.forget(k.ID)
		if w != nil && w.key.ID == k.ID {
			s.active.Store(&activeKey{key: s.keyring.Load().keys[k.ID]})
		}
	}
}
