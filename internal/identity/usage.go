package identity

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

const (
	flushEvery = time.Minute
	// flushBatch bounds one transaction, so that a flush never holds the
	// writer for long.
	flushBatch = 500
	// maxPending bounds the memory of times not yet written. What does not
	// fit is lost, which makes a last-used time a little older than it was.
	maxPending = 100_000
)

// visit names a member of a team.
type visit struct{ teamID, userID int64 }

// usage holds last-used times until they are written.
type usage struct {
	mu     sync.Mutex
	tokens map[int64]time.Time
	visits map[visit]time.Time
}

func newUsage() *usage {
	return &usage{tokens: map[int64]time.Time{}, visits: map[visit]time.Time{}}
}

func (u *usage) used(id int64, now time.Time) {
	u.mu.Lock()
	note(u.tokens, id, now)
	u.mu.Unlock()
}

func (u *usage) visited(v visit, now time.Time) {
	u.mu.Lock()
	note(u.visits, v, now)
	u.mu.Unlock()
}

func note[K comparable](times map[K]time.Time, k K, now time.Time) {
	old, known := times[k]
	if (known || len(times) < maxPending) && now.After(old) {
		times[k] = now
	}
}

// lastUse is the newer of what is stored and what is not yet written.
func (u *usage) lastUse(id int64, stored time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if t := u.tokens[id]; t.After(stored) {
		return t.UTC().Truncate(time.Second)
	}
	return stored
}

// overlay puts the visits not yet written over the stored ones.
func (u *usage) overlay(list []TeamMembership) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for j := range list {
		m := &list[j]
		if t := u.visits[visit{m.TeamID, m.User.ID}]; t.After(m.LastAccess) {
			m.LastAccess = t.UTC().Truncate(time.Second)
		}
	}
}

// take hands over what is pending and starts anew.
func (u *usage) take() (map[int64]time.Time, map[visit]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	tokens, visits := u.tokens, u.visits
	if len(tokens) > 0 {
		u.tokens = map[int64]time.Time{}
	}
	if len(visits) > 0 {
		u.visits = map[visit]time.Time{}
	}
	return tokens, visits
}

// giveBack returns what could not be written, for the next flush.
func (u *usage) giveBack(tokens map[int64]time.Time, visits map[visit]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, t := range tokens {
		note(u.tokens, id, t)
	}
	for v, t := range visits {
		note(u.visits, v, t)
	}
}

// Flush writes the last-used times held in memory.
func (i *Identity) Flush(ctx context.Context) error {
	tokens, visits := i.usage.take()
	for len(tokens)+len(visits) > 0 {
		someTokens, someVisits := firstOf(tokens, flushBatch), firstOf(visits, flushBatch)
		if err := i.writeUsage(ctx, someTokens, someVisits); err != nil {
			i.usage.giveBack(tokens, visits)
			return err
		}
		for _, id := range someTokens {
			delete(tokens, id.key)
		}
		for _, v := range someVisits {
			delete(visits, v.key)
		}
	}
	return nil
}

// used pairs something with the time of its last use.
type lastUse[K comparable] struct {
	key K
	at  time.Time
}

func firstOf[K comparable](times map[K]time.Time, most int) []lastUse[K] {
	some := make([]lastUse[K], 0, min(most, len(times)))
	for k := range maps.Keys(times) {
		if len(some) == most {
			break
		}
		some = append(some, lastUse[K]{k, times[k].UTC().Truncate(time.Second)})
	}
	return some
}

func (i *Identity) writeUsage(ctx context.Context, tokens []lastUse[int64], visits []lastUse[visit]) error {
	slices.SortFunc(tokens, func(a, b lastUse[int64]) int { return cmp.Compare(a.key, b.key) })
	// One process at a time: two that flush the same tokens must not wait for
	// each other in a circle.
	return i.db.WriteKeyed(ctx, "identity/usage", func(tx *database.Tx) error {
		for _, t := range tokens {
			if err := updateLastUsed(ctx, tx, t.key, t.at); err != nil {
				return err
			}
		}
		for _, v := range visits {
			if err := updateLastAccess(ctx, tx, v.key, v.at); err != nil {
				return err
			}
		}
		return nil
	})
}

// flushLoop flushes on the world's clock until Close.
func (i *Identity) flushLoop() {
	defer close(i.stopped)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i.waitFlush(i.clock) {
		if err := i.Flush(ctx); err != nil {
			i.log.Warn("identity: last-used times stay in memory until the next try", "error", err)
		}
	}
}

func (i *Identity) waitFlush(c clock.Clock) bool {
	timer := c.NewTimer(flushEvery)
	defer timer.Stop()
	select {
	case <-i.stop:
		return false
	case <-timer.C:
		return true
	}
}
