package identity_test

import (
	"context"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
)

func TestTheSweepDeletesWhatDiedLongAgo(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		c := clock.NewVirtual(epoch)
		h := build(t, db, c)
		q := jobs.New(jobs.Options{DB: db, Clock: c, IDs: ids.Random()})
		q.Register(h.Jobs()...)
		must(t, h.Schedule(ctx, q))

		u := h.user("ada")
		_, dead := h.token(identity.IssueOptions{UserID: u.ID, TTL: time.Hour})
		gone, revoked := h.token(identity.IssueOptions{UserID: u.ID})
		_, alive := h.token(identity.IssueOptions{UserID: u.ID})
		must(t, h.RevokeToken(ctx, gone.ID))
		for _, row := range []struct {
			days               int
			wantDead, wantGone error
		}{
			{2, identity.ErrExpired, identity.ErrRevoked},
			{88, identity.ErrExpired, identity.ErrRevoked},
			{2, identity.ErrUnknown, identity.ErrUnknown},
		} {
			c.Advance(time.Duration(row.days) * 24 * time.Hour)
			must(t, q.Settle(ctx))
			h.resolves("labels", dead, row.wantDead)
			h.resolves("labels", revoked, row.wantGone)
			h.resolves("labels", alive, nil)
		}
	}, audit.Migrations(), identity.Migrations(), jobs.Migrations())
}

// A sweep removes all there is, whatever number of batches that takes.
func TestTheSweepTakesSeveralBatches(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ctx := t.Context()
	u := h.user("ada")
	must(t, h.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
			INSERT INTO identity_sessions (hash, user_id, address, agent, created_at, expires_at)
			SELECT CAST(i AS BLOB), $1, '', '', $2, $2 FROM n`, u.ID, database.Time(epoch))
		return err
	}))
	before := h.db.Stats().Transactions
	if n, err := h.SweepSessions(ctx, epoch.Add(time.Second)); err != nil || n != 2500 {
		t.Errorf("SweepSessions = %d, %v, want 2500", n, err)
	}
	if got := h.db.Stats().Transactions - before; got != 3 {
		t.Errorf("the sweep took %d transactions, want 3 short ones", got)
	}
}
