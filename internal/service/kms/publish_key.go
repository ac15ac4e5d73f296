package kms

import (
	"context"
	"fmt"
	"log/slog"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/kms/provider"
)

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
