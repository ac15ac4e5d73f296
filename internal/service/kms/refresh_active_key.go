package kms

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
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

// staleAfter is how long a process that shares its store may encrypt without
// having read it. Destroying waits twice as long, see destroyAfter.
const staleAfter = 5 * time.Minute

// stale reports whether another process may have changed the key since the store
// was read.
func (s *Service) stale(now time.Time) bool {
	return s.world.DB.Engine() == database.Postgres && now.Sub(*s.storeReadAt.Load()) > staleAfter
}

// refreshActive reads store and provider again, and fails when there is still
// nothing to encrypt with.
func (s *Service) refreshActive(ctx context.Context) error {
	_, err := s.shared.Do(ctx, "refresh", func(ctx context.Context) (any, error) {
		return nil, s.change(ctx, s.refresh)
	})
	if err == nil && s.active.Load() == nil {
		err = errNoKey()
	}
	if err == nil && s.stale(s.world.Clock.Now()) {
		err = errStore(nil)
	}
	if err != nil {
		return asError("the key provider", err)
	}
	return nil
}

// refreshStale has the store read, in which another process may have destroyed a key, when it was not for long.
// No caller waits for it: what is in memory opens also while the store is away.
func (s *Service) refreshStale(now time.Time) {
	last := s.staleAskedAt.Load()
	if !s.stale(now) || last != nil && now.Sub(*last) < minRefresh || !s.staleAskedAt.CompareAndSwap(last, &now) {
		return
	}
	s.shared.Go("refresh", func(ctx context.Context) (any, error) { return nil, s.change(ctx, s.refresh) })
}
