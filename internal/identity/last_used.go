package identity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"stoa.dev/stoa/internal/identity/lastuse"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

const (
	flushEvery = time.Minute
	// flushBatch bounds one transaction, so that a flush never holds the
	// writer for long.
	flushBatch = 500
)

// memberKey names a member of a team.
type memberKey struct{ teamID, userID int64 }

// lastUsedTimes holds last-used times until they are written.
type lastUsedTimes struct {
	tokens  lastuse.Times[int64]
	members lastuse.Times[memberKey]
}

// overlayAccess puts the times not yet written over the stored ones.
func (u *lastUsedTimes) overlayAccess(list []TeamMembership) {
	for j := range list {
		m := &list[j]
		m.LastAccess = u.members.Latest(memberKey{m.TeamID, m.User.ID}, m.LastAccess)
	}
}

// noteUse keeps the time of a request with the credential.
func (i *Identity) noteUse(e *cachedCaller) {
	if now := i.clock.Now(); e.markUsed(now) {
		i.lastUsed.tokens.Note(e.caller.TokenID, now)
	}
}

// Flush writes the last-used times held in memory. When it returns without an
// error, every use before the call is written.
func (i *Identity) Flush(ctx context.Context) error {
	i.flushMu.Lock()
	defer i.flushMu.Unlock()
	tokens, visits := i.lastUsed.tokens.Pending(), i.lastUsed.members.Pending()
	slices.SortFunc(tokens, func(a, b lastuse.Use[int64]) int { return cmp.Compare(a.Key, b.Key) })
	for len(tokens)+len(visits) > 0 {
		var someTokens []lastuse.Use[int64]
		var someVisits []lastuse.Use[memberKey]
		someTokens, tokens = splitBatch(tokens)
		someVisits, visits = splitBatch(visits)
		if err := i.writeLastUsed(ctx, someTokens, someVisits); err != nil {
			return err
		}
		i.lastUsed.tokens.Drop(someTokens)
		i.lastUsed.members.Drop(someVisits)
	}
	return nil
}

func splitBatch[T any](list []T) (batch, rest []T) {
	n := min(len(list), flushBatch)
	return list[:n], list[n:]
}

func (i *Identity) writeLastUsed(
	ctx context.Context, tokens []lastuse.Use[int64], visits []lastuse.Use[memberKey],
) error {
	// One process at a time: two that flush the same tokens must not wait for
	// each other in a circle.
	return i.db.WriteKeyed(ctx, "identity/usage", func(ctx context.Context, tx *database.Tx) error {
		for _, t := range tokens {
			if err := updateLastUsed(ctx, tx, t.Key, t.At.Truncate(time.Second)); err != nil {
				return err
			}
		}
		for _, v := range visits {
			if err := updateLastAccess(ctx, tx, v.Key, v.At.Truncate(time.Second)); err != nil {
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
