package limit

import (
	"context"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// gateRetry is what a refused caller is told to wait: when a holder leaves is
// not known.
const gateRetry = time.Second

func gateDecision(name string, held, limit int64, ok bool, now time.Time) Decision {
	d := Decision{
		Name: name, Allowed: ok, Limit: max(limit, 0), Used: held, Remaining: max(limit-held, 0),
		Reset: now.UTC(),
	}
	if !ok {
		d.RetryAfter = gateRetry
		d.Reset = d.Reset.Add(gateRetry)
	}
	return d
}

func noRelease() {}

// enter counts one holder more, if it fits.
func (m *memory) enter(name, key string, limit int64) (release func(), d Decision) {
	k := makeID(name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.gates[k]
	ok := held < limit
	if ok {
		held++
		s.gates[k] = held
	}
	d = gateDecision(name, held, limit, ok, m.clock.Now())
	if !ok {
		return noRelease, d
	}
	var done atomic.Bool
	return func() {
		if done.Swap(true) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.gates[k]--; s.gates[k] <= 0 {
			delete(s.gates, k)
		}
	}, d
}

// enter adds a holder to a gate's row if fewer than limit are left of it. A
// holder whose process died counts until its moment has passed. Moments are cut
// only when they lie more than a lease ahead, which is after a clock jumped
// back: requests overtake each other, and a holder finds itself by its moment.
func (s *shared) enter(ctx context.Context, name, key string, limit int64) (release func(), d Decision, err error) {
	s.tidy(ctx)
	k := makeID(name, key)
	now := s.now()
	until := now + s.lease
	if limit <= 0 {
		return noRelease, gateDecision(name, 0, limit, false, timeAt(now)), nil
	}
	var ok bool
	var held int64
	err = s.db.WriteKeyed(ctx, k.lock(), func(ctx context.Context, tx *database.Tx) error {
		return tx.QueryRow(ctx, `
			INSERT INTO stoa_limit_gates AS g (id, name, holds, ok, expires)
			VALUES ($1, $2, ARRAY[$5::bigint], TRUE, $5)
			ON CONFLICT (id) DO UPDATE SET
				holds = (SELECT coalesce(array_agg(CASE WHEN h > $6 THEN $5 ELSE h END), '{}') FROM unnest(g.holds) h WHERE h > $3)
					|| CASE WHEN (SELECT count(*) FROM unnest(g.holds) h WHERE h > $3) < $4
						THEN ARRAY[$5::bigint] ELSE '{}'::bigint[] END,
				ok = (SELECT count(*) FROM unnest(g.holds) h WHERE h > $3) < $4,
				expires = $5
			RETURNING ok, cardinality(holds)`,
			k[:], name, now, limit, until, until+s.lease).Scan(&ok, &held)
	})
	if err != nil {
		return noRelease, Decision{}, err
	}
	d = gateDecision(name, held, limit, ok, timeAt(now))
	if !ok {
		return noRelease, d, nil
	}
	return s.leave(ctx, k, until), d, nil
}

// leave takes one holder with that moment off the row; which one of several
// equal ones makes no difference.
func (s *shared) leave(ctx context.Context, k id, until int64) func() {
	var done atomic.Bool
	return func() {
		if done.Swap(true) {
			return
		}
		// The caller's context is often over by now.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
		// If the row cannot be reached, the moment passes by itself.
		_ = s.db.WriteKeyed(ctx, k.lock(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `
				UPDATE stoa_limit_gates
				SET holds = holds[:array_position(holds, $2) - 1] || holds[array_position(holds, $2) + 1:]
				WHERE id = $1 AND array_position(holds, $2) IS NOT NULL`, k[:], until)
			return err
		})
	}
}

const releaseTimeout = 5 * time.Second
