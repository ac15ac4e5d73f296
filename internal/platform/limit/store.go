package limit

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// shared counts in PostgreSQL, for all processes together.
type shared struct {
	db    *database.DB
	clock clock.Clock
	lease int64
	ops   atomic.Int64

	refused closed
}

func newShared(o Options) *shared {
	return &shared{db: o.DB, clock: o.Clock, lease: int64(o.GateLease)}
}

func (s *shared) now() int64 { return s.clock.Now().UnixNano() }

// take charges one key.
func (s *shared) take(ctx context.Context, w Window, key string, cost int64, force bool) (Decision, error) {
	s.tidy(ctx)
	if w.Rolling || w.Penalty.After > 0 {
		return s.change(ctx, &w, key, func(st *state, now int64) Decision {
			return st.take(&w, now, cost, force)
		})
	}
	k := makeID(w.Name, key)
	now := s.now()
	if !force && s.refused.has(k, now) {
		if d, err := s.probe(ctx, &w, k, now, cost); err != nil || !d.Allowed {
			return d, err
		}
	}
	c, now, ok, err := s.takeFixed(ctx, &w, k, cost, force)
	if err != nil {
		return Decision{}, err
	}
	if ok {
		cost = 0
	}
	d := c.decision(&w, now, cost, false)
	s.refused.note(k, now, d)
	return d, nil
}

// takeFixed is one statement, in which the row lock of ON CONFLICT makes decision
// and charge one step; the window arithmetic is the same as in cell.roll. The
// clock is read when it is this charge's turn: one that waited long must not
// count in a window that is over.
func (s *shared) takeFixed(ctx context.Context, w *Window, k id, cost int64, force bool) (c cell, now int64, ok bool, err error) {
	err = s.db.WriteKeyed(ctx, k.lock(), func(ctx context.Context, tx *database.Tx) error {
		now = s.now()
		end := windowEnd(w, now)
		return tx.QueryRow(ctx, `
			INSERT INTO stoa_limits AS l (id, name, ends, used, ok, expires)
			VALUES ($1, $2, $4::bigint,
				CASE WHEN $7::boolean OR $6::bigint <= $5::bigint THEN $6::bigint ELSE 0 END,
				$7::boolean OR $6::bigint = 0 OR $6::bigint <= $5::bigint, $4::bigint)
			ON CONFLICT (id) DO UPDATE SET
				used = CASE
					WHEN l.ends <= $3::bigint THEN excluded.used
					WHEN $7::boolean OR l.used + $6::bigint <= $5::bigint THEN LEAST(l.used + $6::bigint, $8::bigint)
					ELSE l.used END,
				ok = CASE
					WHEN l.ends <= $3::bigint THEN excluded.ok
					ELSE $7::boolean OR $6::bigint = 0 OR l.used + $6::bigint <= $5::bigint END,
				ends = CASE WHEN l.ends <= $3::bigint OR l.ends > $9::bigint THEN excluded.ends ELSE l.ends END,
				expires = CASE WHEN l.ends <= $3::bigint OR l.ends > $9::bigint THEN excluded.ends ELSE l.expires END
			RETURNING ends, used, ok`,
			k[:], w.Name, now, end, w.Limit, cost, force, int64(maxUsed), latestEnd(w, end)).Scan(&c.ends, &c.used, &ok)
	})
	return c, now, ok, err
}

func (s *shared) peek(ctx context.Context, w Window, key string) (Decision, error) {
	return s.probe(ctx, &w, makeID(w.Name, key), s.now(), 0)
}

// probe decides by what the row says, without charging.
func (s *shared) probe(ctx context.Context, w *Window, k id, now, cost int64) (Decision, error) {
	st := state{rolls: w.Rolling}
	err := st.scan(s.db.QueryRow(ctx, `SELECT ends, used, body FROM stoa_limits WHERE id = $1`, k[:]))
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return Decision{}, err
	}
	return st.probe(w, now, cost), nil
}

func (s *shared) refund(ctx context.Context, w Window, key string, cost, mark int64) (Decision, error) {
	return s.change(ctx, &w, key, func(st *state, now int64) Decision {
		if w.Rolling {
			return st.rolling.refund(&w, now, cost, mark)
		}
		return st.cell.refund(&w, now, cost, mark)
	})
}

// change locks a key's row, lets fn decide on its state in Go and writes it.
func (s *shared) change(ctx context.Context, w *Window, key string, fn func(*state, int64) Decision) (Decision, error) {
	k := makeID(w.Name, key)
	var d Decision
	err := s.db.WriteKeyed(ctx, k.lock(), func(ctx context.Context, tx *database.Tx) error {
		st, err := lockState(ctx, tx, w, k)
		if err != nil {
			return err
		}
		d = fn(&st, s.now())
		return putState(ctx, tx, k, &st)
	})
	return d, err
}

// takeAll locks the rows of all keys in the order of their ids, so that no two
// calls can wait for each other, decides, and writes all or nothing.
func (s *shared) takeAll(ctx context.Context, charges []Charge, decisions []Decision) (refused int, err error) {
	s.tidy(ctx)
	if len(charges) == 0 {
		return -1, nil
	}
	keys := make([]id, len(charges))
	order := make([]int, len(charges))
	for i := range charges {
		keys[i] = makeID(charges[i].Window.Name, charges[i].Key)
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a][:], keys[b][:]) })
	err = s.db.WriteKeyed(ctx, keys[order[0]].lock(), func(ctx context.Context, tx *database.Tx) error {
		states := map[id]*state{}
		for _, i := range order {
			if states[keys[i]] != nil {
				continue
			}
			st, err := lockState(ctx, tx, &charges[i].Window, keys[i])
			if err != nil {
				return err
			}
			states[keys[i]] = &st
		}
		refused = decideAll(charges, keys, states, s.now(), decisions)
		for k, st := range states {
			if refused >= 0 && (k != keys[refused] || charges[refused].Window.Penalty.After <= 0) {
				continue // nothing was charged; a penalty notes the refusal
			}
			if err := putState(ctx, tx, k, st); err != nil {
				return err
			}
		}
		return nil
	})
	return refused, err
}

// decideAll is memory.takeAll on states that are locked already.
func decideAll(charges []Charge, keys []id, states map[id]*state, now int64, decisions []Decision) (refused int) {
	refused = -1
	for i := range charges {
		c := &charges[i]
		decisions[i] = states[keys[i]].probe(&c.Window, now, c.Cost+before(charges, keys, i))
		if refused < 0 && !decisions[i].Allowed {
			refused = i
		}
	}
	for i := range charges {
		c, st := &charges[i], states[keys[i]]
		if refused < 0 {
			decisions[i] = st.take(&c.Window, now, c.Cost, false)
		} else if i == refused && c.Window.Penalty.After > 0 {
			decisions[i] = st.strike(&c.Window, now, decisions[i])
		}
	}
	return refused
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
		return noRelease, gateDecision(name, 0, limit, false, moment(now)), nil
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
	d = gateDecision(name, held, limit, ok, moment(now))
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
		// The caller's context is often over by now. If the row cannot be
		// reached either, the moment passes by itself.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
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
