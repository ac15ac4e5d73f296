package kms

import (
	"context"
	"log/slog"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Rotate makes a new key current and returns it with the one it replaces.
func (s *Service) Rotate(ctx context.Context) (fresh, old Key, err error) {
	return s.rotate(ctx, func(Key) bool { return true })
}

// rotate makes a new key if the newest one is due. The new key is durable before
// any caller gets its id; old keys go on decrypting.
func (s *Service) rotate(ctx context.Context, due func(last Key) bool) (fresh, old Key, err error) {
	err = s.change(ctx, func(ctx context.Context) error {
		if err := s.refreshToWrite(ctx); err != nil {
			return err
		}
		old = s.keyring.Load().current.Key
		if !due(old) {
			return nil
		}
		if s.config.Provider == ProviderLocal {
			if _, err := s.publish(ctx, due); err != nil {
				return errStore(err)
			}
		} else if err := s.providerOf(s.config.Provider).Rotate(ctx); err != nil {
			return err
		}
		return s.refreshToWrite(ctx)
	})
	if err != nil {
		return Key{}, Key{}, asError("the key provider", err)
	}
	// The last result of a probe is from before the rotation.
	s.probed.Store(nil)
	return s.keyring.Load().current.Key, old, nil
}

// destroyAfter is how long a key must have been replaced before it can be
// destroyed when several processes share the store: each of them has read
// the store by then, or refuses to encrypt.
const destroyAfter = 2 * staleAfter

// Destroy makes everything that was encrypted under the key unreadable, for
// ever. The id stays known, so that it is never used again.
func (s *Service) Destroy(ctx context.Context, id string) (Key, error) {
	var gone Key
	err := s.change(ctx, func(ctx context.Context) error {
		// An unreachable remote does not keep an operator from destroying.
		if err := s.refresh(ctx); err != nil && s.keyring.Load().keys[id] == nil {
			return err
		}
		k := s.keyring.Load().keys[id]
		if err := s.checkDestroyable(id, k); err != nil {
			return err
		}
		gone = k.Key
		gone.Material, gone.DestroyedAt = nil, s.world.Clock.Now()
		if err := s.storeDestroyed(ctx, gone); err != nil {
			return errStore(err)
		}
		s.world.Telemetry.Log.LogAttrs(ctx, slog.LevelWarn, "key destroyed",
			slog.String("service", Name), slog.String("id", id))
		keys, err := listKeys(ctx, s.world.DB)
		if err != nil {
			return errStore(err)
		}
		s.keyring.Store(s.loadKeyring(keys, s.versions))
		s.dropDestroyed(keys)
		return nil
	})
	return gone, err
}

func (s *Service) checkDestroyable(id string, k *loadedKey) error {
	if k == nil {
		return errUnknownKey(id)
	}
	if !k.DestroyedAt.IsZero() {
		return errDestroyed(k)
	}
	current := s.keyring.Load().current
	if w := s.active.Load(); k == current || (w != nil && w.key.ID == id) {
		return errUnusable("key %s is current; rotate first and let every stored secret be rewritten", id)
	}
	if s.world.DB.Engine() != database.Postgres {
		return nil
	}
	if wait := destroyAfter - s.world.Clock.Now().Sub(s.keyring.Load().replacedAt(k)); wait > 0 {
		return errUnusable("key %s was replaced less than %s ago and another process may still use it; try again in %s",
			id, destroyAfter, wait.Round(time.Second))
	}
	return nil
}

// storeDestroyed also remembers keys that were never published here.
func (s *Service) storeDestroyed(ctx context.Context, k Key) error {
	return s.world.DB.WriteKeyed(ctx, publishLock, func(ctx context.Context, tx *database.Tx) error {
		changed, err := destroyKey(ctx, tx, k.ID, k.DestroyedAt)
		if err != nil || changed || k.Seq > 0 {
			return err
		}
		k.CreatedAt = k.DestroyedAt
		return insertKey(ctx, tx, k)
	})
}
