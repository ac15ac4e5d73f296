package kms

import (
	"context"
	"time"
)

// activeKey is what new messages are encrypted with. Status and Encrypt read the
// same one, so they change key at the same instant.
type activeKey struct {
	key *loadedKey
	// data is nil while the provider has not wrapped a data key yet.
	data *dataKey
}

// refresh reads what other processes and the remote did, publishes what is new, and
// activates the newest key. Nothing that worked before stops working when it fails.
// The caller holds s.changeMu.
func (s *Service) refresh(ctx context.Context) error {
	keys, err := listKeys(ctx, s.world.DB)
	if err != nil {
		return s.storeFailure(err)
	}
	now := s.world.Clock.Now()
	s.storeReadAt.Store(&now)
	versions, remote := s.providerOf(s.config.Provider).Versions(ctx)
	if remote == nil {
		s.versions = versions
		published, err := s.publishNewest(ctx, keys)
		if err != nil {
			return s.storeFailure(err)
		}
		if published {
			if keys, err = listKeys(ctx, s.world.DB); err != nil {
				return s.storeFailure(err)
			}
		}
	}
	s.keyring.Store(s.loadKeyring(keys, s.versions))
	s.dropDestroyed(keys)
	if remote != nil {
		s.activateIDOnly()
		return remote
	}
	return s.activate(ctx)
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

// storeFailure is for callers that only read; those that write get the error at once.
func (s *Service) storeFailure(err error) error {
	if s.active.Load() != nil && s.world.Clock.Now().Sub(*s.storeReadAt.Load()) < storeTolerance {
		return nil
	}
	return errStore(err)
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
