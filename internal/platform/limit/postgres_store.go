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

	refused refusedKeys
}

func newShared(o Options) *shared {
	return &shared{db: o.DB, clock: o.Clock, lease: int64(o.GateLease)}
}

func (s *shared) now() int64 { return s.clock.Now().UnixNano() }

// take charges one key.
func (s *shared) take(ctx context.Context, w Window, key string, cost int64, force bool) (Decision, error) {
	s.tidy(ctx)
	if w.Penalty.After > 0 {
		return s.change(ctx, &w, key, func(c *counter, now int64) Decision { return c.take(&w, now, cost, force) })
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
// and charge one step; the window arithmetic is the same as in counter.advance. The
// clock is read when it is this charge's turn: one that waited long must not
// count in a window that is over.
func (s *shared) takeFixed(
	ctx context.Context, w *Window, k id, cost int64, force bool,
) (c counter, now int64, ok bool, err error) {
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
	c, err := database.One(ctx, s.db, scanCounter, `SELECT ends, used, body FROM stoa_limits WHERE id = $1`, k[:])
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return Decision{}, err
	}
	return c.probe(w, now, cost), nil
}

func (s *shared) refund(ctx context.Context, w Window, key string, cost, mark int64) (Decision, error) {
	return s.change(ctx, &w, key, func(c *counter, now int64) Decision { return c.refund(&w, now, cost, mark) })
}

// change locks a key's row, lets fn decide on its counter in Go and writes it.
func (s *shared) change(
	ctx context.Context, w *Window, key string, fn func(*counter, int64) Decision,
) (d Decision, err error) {
	k := makeID(w.Name, key)
	err = s.db.WriteKeyed(ctx, k.lock(), func(ctx context.Context, tx *database.Tx) error {
		c, err := lockCounter(ctx, tx, w, k)
		if err != nil {
			return err
		}
		d = fn(&c, s.now())
		return updateCounter(ctx, tx, k, &c)
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
		counters := map[id]*counter{}
		for _, i := range order {
			if counters[keys[i]] != nil {
				continue
			}
			c, err := lockCounter(ctx, tx, &charges[i].Window, keys[i])
			if err != nil {
				return err
			}
			counters[keys[i]] = &c
		}
		refused = decideAll(charges, keys, counters, s.now(), decisions)
		for k, c := range counters {
			if refused >= 0 && (k != keys[refused] || charges[refused].Window.Penalty.After <= 0) {
				continue // nothing was charged; a penalty notes the refusal
			}
			if err := updateCounter(ctx, tx, k, c); err != nil {
				return err
			}
		}
		return nil
	})
	return refused, err
}

// decideAll is memory.takeAll on counters that are locked already.
func decideAll(charges []Charge, keys []id, counters map[id]*counter, now int64, decisions []Decision) (refused int) {
	refused = -1
	for i := range charges {
		c := &charges[i]
		decisions[i] = counters[keys[i]].probe(&c.Window, now, c.Cost+before(charges, keys, i))
		if refused < 0 && !decisions[i].Allowed {
			refused = i
		}
	}
	for i := range charges {
		charge, c := &charges[i], counters[keys[i]]
		if refused < 0 {
			decisions[i] = c.take(&charge.Window, now, charge.Cost, false)
		} else if i == refused && charge.Window.Penalty.After > 0 {
			decisions[i] = c.refuse(&charge.Window, now, decisions[i])
		}
	}
	return refused
}

// scanCounter reads ends, used and body, in which bans are.
func scanCounter(row database.Scanner) (c counter, err error) {
	var body []byte
	if err := row.Scan(&c.ends, &c.used, &body); err != nil || len(body) == 0 {
		return c, err
	}
	r := &reader{b: body}
	c.ban = r.ban()
	return c, r.err
}

// lockCounter reads a key's row and locks it until the transaction ends; a key
// without a row gets one, because only rows can be locked.
func lockCounter(ctx context.Context, tx *database.Tx, w *Window, k id) (counter, error) {
	return database.One(ctx, tx, scanCounter, `
		INSERT INTO stoa_limits AS l (id, name, ends, used, ok, expires) VALUES ($1, $2, 0, 0, TRUE, 0)
		ON CONFLICT (id) DO UPDATE SET ok = l.ok
		RETURNING ends, used, body`, k[:], w.Name)
}

func updateCounter(ctx context.Context, tx *database.Tx, k id, c *counter) error {
	var body []byte
	if c.ban != (ban{}) {
		body = appendBan(nil, &c.ban)
	}
	_, err := tx.Exec(ctx, `UPDATE stoa_limits SET ends = $2, used = $3, body = $4, expires = $5 WHERE id = $1`,
		k[:], c.ends, c.used, body, roundUp(c.expires()))
	return err
}

// roundUp keeps the expiry from changing with every charge that lengthens a ban:
// it is indexed, and a row whose indexed columns stay is updated in place.
func roundUp(ns int64) int64 {
	const grain = int64(time.Minute)
	return (ns/grain + 1) * grain
}

// lock names a key in the database's lock table.
func (k id) lock() string { return "limit:" + k.String() }

// tidyEvery is how many charges pass between two looks for expired rows.
const tidyEvery = 4096

// tidy deletes expired rows now and then. The charge that
// follows reports a broken database.
func (s *shared) tidy(ctx context.Context) {
	if s.ops.Add(1)%tidyEvery == 0 {
		_ = s.sweep(ctx) // the next one finds the same rows
	}
}

// sweepBatch bounds how long one sweep keeps its locks.
const sweepBatch = 2000

func (s *shared) sweep(ctx context.Context) error {
	now := s.now()
	return s.db.WriteKeyed(ctx, "limit:sweep", func(ctx context.Context, tx *database.Tx) error {
		for _, text := range []string{
			`DELETE FROM stoa_limits WHERE id IN (
				SELECT id FROM stoa_limits WHERE expires <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
			`DELETE FROM stoa_limit_gates WHERE id IN (
				SELECT id FROM stoa_limit_gates WHERE expires <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
		} {
			if _, err := tx.Exec(ctx, text, now, int64(sweepBatch)); err != nil {
				return err
			}
		}
		return nil
	})
}
