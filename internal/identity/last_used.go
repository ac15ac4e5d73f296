package identity

import (
	"cmp"
	"context"
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

// memberKey names a member of a team.
type memberKey struct{ teamID, userID int64 }

// lastUsedTimes holds last-used times until they are written.
type lastUsedTimes struct {
	mu      sync.Mutex
	tokens  map[int64]time.Time
	members map[memberKey]time.Time
}

func newLastUsedTimes() *lastUsedTimes {
	return &lastUsedTimes{tokens: map[int64]time.Time{}, members: map[memberKey]time.Time{}}
}

func (u *lastUsedTimes) tokenUsed(id int64, now time.Time) {
	u.mu.Lock()
	keepNewer(u.tokens, id, now)
	u.mu.Unlock()
}

func (u *lastUsedTimes) teamAccessed(v memberKey, now time.Time) {
	u.mu.Lock()
	keepNewer(u.members, v, now)
	u.mu.Unlock()
}

func keepNewer[K comparable](times map[K]time.Time, k K, now time.Time) {
	old, known := times[k]
	if (known || len(times) < maxPending) && now.After(old) {
		times[k] = now
	}
}

// latest is the newer of what is stored and what is not yet written.
func (u *lastUsedTimes) latest(id int64, stored time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if t := u.tokens[id]; t.After(stored) {
		return t.UTC().Truncate(time.Second)
	}
	return stored
}

// overlayAccess puts the times not yet written over the stored ones.
func (u *lastUsedTimes) overlayAccess(list []TeamMembership) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for j := range list {
		m := &list[j]
		if t := u.members[memberKey{m.TeamID, m.User.ID}]; t.After(m.LastAccess) {
			m.LastAccess = t.UTC().Truncate(time.Second)
		}
	}
}

// lastUse pairs something with the time of its last use.
type lastUse[K comparable] struct {
	key K
	at  time.Time
}

// pending copies what is not yet written. It stays until written is called,
// so that a request in between still sees it.
func (u *lastUsedTimes) pending() ([]lastUse[int64], []lastUse[memberKey]) {
	u.mu.Lock()
	defer u.mu.Unlock()
	tokens, visits := entries(u.tokens), entries(u.members)
	slices.SortFunc(tokens, func(a, b lastUse[int64]) int { return cmp.Compare(a.key, b.key) })
	return tokens, visits
}

func entries[K comparable](times map[K]time.Time) []lastUse[K] {
	list := make([]lastUse[K], 0, len(times))
	for k, at := range times {
		list = append(list, lastUse[K]{k, at})
	}
	return list
}

// drop removes what was written and not used again since.
func (u *lastUsedTimes) drop(tokens []lastUse[int64], visits []lastUse[memberKey]) {
	u.mu.Lock()
	defer u.mu.Unlock()
	dropWritten(u.tokens, tokens)
	dropWritten(u.members, visits)
}

func dropWritten[K comparable](times map[K]time.Time, written []lastUse[K]) {
	for _, w := range written {
		if times[w.key].Equal(w.at) {
			delete(times, w.key)
		}
	}
}

// Flush writes the last-used times held in memory. When it returns without an
// error, every use before the call is written.
func (i *Identity) Flush(ctx context.Context) error {
	i.flushMu.Lock()
	defer i.flushMu.Unlock()
	tokens, visits := i.lastUsed.pending()
	for len(tokens)+len(visits) > 0 {
		var someTokens []lastUse[int64]
		var someVisits []lastUse[memberKey]
		someTokens, tokens = splitBatch(tokens)
		someVisits, visits = splitBatch(visits)
		if err := i.writeLastUsed(ctx, someTokens, someVisits); err != nil {
			return err
		}
		i.lastUsed.drop(someTokens, someVisits)
	}
	return nil
}

func splitBatch[T any](list []T) (batch, rest []T) {
	n := min(len(list), flushBatch)
	return list[:n], list[n:]
}

func (i *Identity) writeLastUsed(ctx context.Context, tokens []lastUse[int64], visits []lastUse[memberKey]) error {
	// One process at a time: two that flush the same tokens must not wait for
	// each other in a circle.
	return i.db.WriteKeyed(ctx, "identity/usage", func(ctx context.Context, tx *database.Tx) error {
		for _, t := range tokens {
			if err := updateLastUsed(ctx, tx, t.key, t.at.Truncate(time.Second)); err != nil {
				return err
			}
		}
		for _, v := range visits {
			if err := updateLastAccess(ctx, tx, v.key, v.at.Truncate(time.Second)); err != nil {
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
			i.log.Warn("last-used times not written, kept until the next flush", "error", err)
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
