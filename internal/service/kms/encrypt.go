package kms

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Encrypt seals a message under the current key.
func (s *Service) Encrypt(ctx context.Context, plaintext []byte) (Sealed, error) {
	if len(plaintext) == 0 {
		return Sealed{}, errInvalid("plaintext is empty")
	}
	if len(plaintext) > maxPlaintext {
		return Sealed{}, errInvalid("plaintext has %d bytes, at most %d fit", len(plaintext), maxPlaintext)
	}
	// One round in the steady state, another after a renewal, more when others
	// used the new data key up in between: every round lets some caller finish.
	for ctx.Err() == nil {
		now := s.world.Clock.Now()
		w := s.active.Load()
		switch {
		case w == nil || s.stale(now):
			if err := s.refreshActive(ctx); err != nil {
				return Sealed{}, err
			}
			continue
		case w.data == nil || !w.data.use(now, s.config.DataKeyUses, s.config.DataKeyTime):
			if err := s.renew(ctx, w); err != nil {
				return Sealed{}, err
			}
			continue
		}
		if w.data.nearEnd(now, s.config.DataKeyUses, s.config.DataKeyTime) && now.UnixNano() >= s.retryAt.Load() {
			s.renewEarly(w, now)
		}
		return w.data.seal(plaintext)
	}
	return Sealed{}, asError("the key provider", ctx.Err())
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

// renew waits for a new data key.
func (s *Service) renew(ctx context.Context, w *activeKey) error {
	_, err := s.shared.Do(ctx, "renew", func(ctx context.Context) (any, error) { return nil, s.replaceDataKey(ctx, w) })
	if err != nil {
		return asError("the key provider", err)
	}
	return nil
}

// renewEarly has a successor made while the data key still works. When that
// fails, the next attempt waits, so that not every call asks the provider.
func (s *Service) renewEarly(w *activeKey, now time.Time) {
	s.retryAt.Store(now.Add(s.config.ProbeEvery).UnixNano())
	s.shared.Go("renew", func(ctx context.Context) (any, error) {
		err := s.replaceDataKey(ctx, w)
		if err == nil {
			s.retryAt.Store(0)
		}
		return nil, err
	})
}

// replaceDataKey makes the successor of a data key, unless another caller did.
func (s *Service) replaceDataKey(ctx context.Context, w *activeKey) error {
	return s.change(ctx, func(ctx context.Context) error {
		if s.active.Load() != w {
			return nil
		}
		d, err := s.makeDataKey(ctx, w.key)
		if err != nil {
			return err
		}
		s.active.Store(&activeKey{key: w.key, data: d})
		return nil
	})
}
