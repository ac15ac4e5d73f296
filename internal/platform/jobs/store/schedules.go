package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/cron"
)

// Schedule is work that repeats, as it is stored.
type Schedule struct {
	Name, Spec, Kind string
	Payload          []byte

	Next, Last time.Time // Last is zero before the first firing
}

// Kinds are those that a queue knows. Schedules of others do not fire here.
type Kinds struct {
	byName map[string]Kind
	names  []any
}

// NewKinds is a set of kinds.
func NewKinds(kinds map[string]Kind) *Kinds {
	k := &Kinds{byName: kinds}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k.names = append(k.names, name)
	}
	return k
}

// ScheduleLock is the key of transactions that write schedules.
const ScheduleLock = "jobs:schedules"

// PutSchedule writes a schedule and returns its next firing: an unchanged one
// keeps it.
func PutSchedule(ctx context.Context, tx *database.Tx, s Schedule, next time.Time) (time.Time, error) {
	return database.One(ctx, tx, scanTime, `
		INSERT INTO stoa_schedules AS s (name, spec, kind, payload, catch_up, next) VALUES ($1, $2, $3, $4, FALSE, $5)
		ON CONFLICT (name) DO UPDATE SET
			kind = excluded.kind, payload = excluded.payload, spec = excluded.spec,
			next = CASE WHEN s.spec = excluded.spec THEN s.next ELSE excluded.next END
		RETURNING next`,
		s.Name, s.Spec, s.Kind, s.Payload, database.Time(next))
}

// NextFiring is that of a schedule that stands as it is given; database.ErrNotFound
// where it has to be written.
func NextFiring(ctx context.Context, q database.Querier, s Schedule) (time.Time, error) {
	return database.One(ctx, q, scanTime, `
		SELECT next FROM stoa_schedules WHERE name = $1 AND spec = $2 AND kind = $3 AND payload = $4`,
		s.Name, s.Spec, s.Kind, s.Payload)
}

// DeleteSchedule ends a schedule; ErrNotFound if there is none.
func DeleteSchedule(ctx context.Context, tx *database.Tx, name string) error {
	res, err := tx.Exec(ctx, `DELETE FROM stoa_schedules WHERE name = $1`, name)
	if err == nil && res.RowsAffected == 0 {
		return ErrNotFound
	}
	return err
}

// NextSchedule is when the next schedule of these kinds fires; MaxTime if there
// is none.
func NextSchedule(ctx context.Context, q database.Querier, kinds *Kinds) (time.Time, error) {
	if len(kinds.names) == 0 {
		return database.MaxTime(), nil
	}
	return orMaxTime(database.One(ctx, q, scanTime, `
		SELECT next FROM stoa_schedules
		WHERE kind IN (`+database.Placeholders(1, len(kinds.names))+`) ORDER BY next LIMIT 1`, kinds.names...))
}

// Schedules are all of them, by name.
func Schedules(ctx context.Context, q database.Querier) ([]Schedule, error) {
	return database.All(ctx, q, scanSchedule, `
		SELECT name, spec, kind, payload, next, last FROM stoa_schedules ORDER BY name`)
}

func dueSchedules(ctx context.Context, q database.Querier, kinds *Kinds, now time.Time) ([]Schedule, error) {
	if len(kinds.names) == 0 {
		return nil, nil
	}
	return database.All(ctx, q, scanSchedule, `
		SELECT name, spec, kind, payload, next, last FROM stoa_schedules
		WHERE next <= $1 AND kind IN (`+database.Placeholders(2, len(kinds.names))+`) ORDER BY next, name`,
		append([]any{database.Time(now)}, kinds.names...)...)
}

func scanSchedule(row database.Scanner) (s Schedule, err error) {
	err = row.Scan(&s.Name, &s.Spec, &s.Kind, &s.Payload, database.ScanTime(&s.Next), database.ScanNullTime(&s.Last))
	return s, err
}

// moveSchedule sets the next firing unless another process already did: it
// compares with what was read, under the row's lock.
func moveSchedule(ctx context.Context, tx *database.Tx, s Schedule, last, next time.Time) (bool, error) {
	res, err := tx.Exec(ctx, `
		UPDATE stoa_schedules SET next = $3, last = $4 WHERE name = $1 AND next = $2 AND spec = $5`,
		s.Name, database.Time(s.Next), database.Time(next), database.Time(last), s.Spec)
	return res.RowsAffected == 1, err
}

// fireSchedules enqueues what the due schedules ask for and moves them on, in
// the transaction of the cycle: no firing is lost, none happens twice.
func (c *Cycle) fireSchedules(ctx context.Context, tx *database.Tx) error {
	due, err := dueSchedules(ctx, tx, c.Kinds, c.Now)
	if err != nil {
		return err
	}
	for _, s := range due {
		if err := c.fire(ctx, tx, s); err != nil {
			return err
		}
	}
	c.Fired, err = NextSchedule(ctx, tx, c.Kinds)
	return err
}

func (c *Cycle) fire(ctx context.Context, tx *database.Tx, s Schedule) error {
	spec, err := cron.Parse(s.Spec)
	if err != nil {
		return fmt.Errorf("jobs: stored schedule %s: %w", s.Name, err)
	}
	moved, err := moveSchedule(ctx, tx, s, s.Next, spec.NextAfter(s.Next, c.Now))
	if err != nil || !moved {
		return err // another process was faster
	}
	lane := "schedule/" + s.Name
	j := NewJob{Kind: c.Kinds.byName[s.Kind], Payload: s.Payload, Key: lane, Dedupe: lane, At: s.Next}
	if j.Kind.Share.Bounds() {
		j.Owner = SystemOwner
	}
	row, err := Insert(ctx, tx, j, c.Now)
	if err != nil {
		return err
	}
	if row.Ready {
		c.Upcoming = append(c.Upcoming, Upcoming{Kind: s.Kind, At: row.ClaimAt})
	}
	c.PlaceFresh = c.PlaceFresh || row.Fresh
	return nil
}
