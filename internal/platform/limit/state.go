package limit

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// state is a row of stoa_limits, decided on by the same code as in memory.
type state struct {
	rolls   bool
	cell    cell
	rolling rolling
}

// scan reads ends, used and body. The body holds a rolling window's charges, or
// the bans of a fixed one.
func (st *state) scan(row database.Scanner) error {
	var body []byte
	if err := row.Scan(&st.cell.ends, &st.cell.used, &body); err != nil {
		return err
	}
	if len(body) == 0 {
		return nil
	}
	r := &reader{b: body}
	if st.rolls {
		st.rolling = *r.rolling()
	} else {
		st.cell.ban = r.ban()
	}
	return r.err
}

// lockState reads a key's row and holds it until the transaction ends; a key
// without a row gets one, because only rows can be locked.
func lockState(ctx context.Context, tx *database.Tx, w *Window, k id) (state, error) {
	st := state{rolls: w.Rolling}
	err := st.scan(tx.QueryRow(ctx, `
		INSERT INTO stoa_limits AS l (id, name, ends, used, ok, expires) VALUES ($1, $2, 0, 0, TRUE, 0)
		ON CONFLICT (id) DO UPDATE SET ok = l.ok
		RETURNING ends, used, body`, k[:], w.Name))
	return st, err
}

func putState(ctx context.Context, tx *database.Tx, k id, st *state) error {
	var body []byte
	ends, used, expires := st.cell.ends, st.cell.used, st.cell.expires()
	if st.rolls {
		body = appendRolling(nil, &st.rolling)
		ends, used, expires = st.rolling.ends, st.rolling.used, st.rolling.expires()
	} else if st.cell.ban != (ban{}) {
		body = appendBan(nil, &st.cell.ban)
	}
	_, err := tx.Exec(ctx, `UPDATE stoa_limits SET ends = $2, used = $3, body = $4, expires = $5 WHERE id = $1`,
		k[:], ends, used, body, roundUp(expires))
	return err
}

// roundUp keeps the expiry of a rolling window from changing with every charge:
// it is indexed, and a row whose indexed columns stay is updated in place.
func roundUp(ns int64) int64 {
	const grain = int64(time.Minute)
	return (ns/grain + 1) * grain
}

func (st *state) take(w *Window, now, cost int64, force bool) Decision {
	if w.Rolling {
		return st.rolling.take(w, now, cost, force, func(int) bool { return true })
	}
	return st.cell.take(w, now, cost, force)
}

func (st *state) probe(w *Window, now, cost int64) Decision {
	if w.Rolling {
		return st.rolling.probe(w, now, cost)
	}
	return st.cell.probe(w, now, cost)
}

// strike notes the refusal d of a charge that was not tried.
func (st *state) strike(w *Window, now int64, d Decision) Decision {
	b := &st.cell.ban
	if w.Rolling {
		st.rolling.roll(w, now)
		b = &st.rolling.ban
	} else {
		st.cell.roll(w, now)
	}
	b.strike(&w.Penalty, now)
	if now < b.until {
		d.Banned = true
		d.RetryAfter = max(d.RetryAfter, time.Duration(b.until-now))
	}
	return d
}

// lock names a key in the database's lock table.
func (k id) lock() string { return "limit:" + k.String() }

// tidyEvery is how many charges pass between two looks for expired rows.
const tidyEvery = 4096

// tidy deletes expired rows now and then. Its failure harms nobody: the next
// look finds the same rows, and the charge that follows reports a broken database.
func (s *shared) tidy(ctx context.Context) {
	if s.ops.Add(1)%tidyEvery == 0 {
		_ = s.sweep(ctx)
	}
}

// sweepBatch bounds how long one sweep holds its locks.
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

// Sweep forgets expired keys. A limiter does so by itself while it is used; a
// schedule may call it to shrink after a flood.
func (l *Limiter) Sweep(ctx context.Context) error {
	if l.shared != nil {
		return l.shared.sweep(ctx)
	}
	for i := range l.memory.shards {
		s := &l.memory.shards[i]
		s.mu.Lock()
		s.sweep(l.memory.now())
		s.mu.Unlock()
	}
	return nil
}
