package grants_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestRedeemedOnce is promise P5, on both databases.
func TestRedeemedOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada := h.User("ada")
		c := h.client(identity.ClientDevice)
		s := h.approved(c.ID, ada.ID)
		refreshed, err := h.poll(h.approved(c.ID, ada.ID))
		must(t, err)

		var (
			wg               sync.WaitGroup
			mu               sync.Mutex
			polled, renewals int
		)
		for range 32 {
			wg.Go(func() {
				_, pollErr := h.poll(s)
				_, refreshErr := h.refresh(c, refreshed.Refresh)
				mu.Lock()
				defer mu.Unlock()
				if pollErr == nil {
					polled++
				} else if !errors.Is(pollErr, grants.ErrClaimed) {
					t.Errorf("poll: %v", pollErr)
				}
				if refreshErr == nil {
					renewals++
				} else if !errors.Is(refreshErr, identity.ErrRevoked) {
					t.Errorf("refresh: %v", refreshErr)
				}
			})
		}
		wg.Wait()
		if polled != 1 || renewals != 1 {
			t.Errorf("%d polls and %d refreshes succeeded, want one each", polled, renewals)
		}
	})
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		first := h.redeemed(c, h.User("ada").ID)
		_, err := h.refresh(identity.Client{ID: "x"}, first.Refresh)
		wantErr(t, err, identity.ErrUnknown)
		_, err = h.refresh(c, first.Access)
		wantErr(t, err, identity.ErrUnknown)
		_, err = h.refresh(c, first.Refresh, "storage.labels", "storage.labels.readonly")
		wantErr(t, err, identity.ErrInvalid)

		second, err := h.refresh(c, first.Refresh, "storage.labels")
		must(t, err)
		if second.Refresh == first.Refresh || second.Access == first.Access {
			t.Error("a refresh returned old tokens")
		}
		// The copy of the first refresh token is used: everything ends.
		_, err = h.refresh(c, first.Refresh)
		wantErr(t, err, identity.ErrRevoked)
		h.resolves(second.Access, identity.ErrRevoked)
		_, err = h.refresh(c, second.Refresh)
		wantErr(t, err, identity.ErrRevoked)
	})
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		tokens := h.redeemed(c, h.User("ada").ID)
		h.Clock.Advance(time.Hour)
		h.resolves(tokens.Access, identity.ErrExpired)
		h.Clock.Advance(30 * 24 * time.Hour)
		_, err := h.refresh(c, tokens.Refresh)
		wantErr(t, err, identity.ErrExpired)
	})
}

// A revocation that another process commits while a refresh is under way wins:
// the refresh must not put a live pair into a family that has ended.
func TestARefreshLosesToARevocation(t *testing.T) {
	t.Parallel()
	h := newFixture(t, identitytest.Open(t, registerServices, databasetest.PostgresURL(t)))
	db, c := h.World.DB, h.client(identity.ClientWeb)
	tokens := h.redeemed(c, h.User("ada").ID)
	refreshed := make(chan error)
	must(t, db.WriteKeyed(t.Context(), "another process", func(ctx context.Context, tx *database.Tx) error {
		now := database.Time(h.Clock.Now())
		if _, err := tx.Exec(ctx, `UPDATE identity_credentials SET revoked_at = $1`, now); err != nil {
			return err
		}
		go func() {
			// Not the context of the transaction: this is another one.
			_, err := h.refresh(c, tokens.Refresh)
			refreshed <- err
		}()
		// The refresh has read the token as good and waits for this transaction.
		for waiting := false; !waiting; {
			err := db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	wantErr(t, <-refreshed, identity.ErrRevoked)
}

func TestADisabledUserGetsNoTokens(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, c := h.User("ada"), h.client(identity.ClientDevice)
		connected, approved := h.approved(c.ID, ada.ID), h.approved(c.ID, ada.ID)
		tokens, err := h.poll(connected)
		must(t, err)
		must(t, h.Identity.DisableUser(ctx, ada.ID, true))

		_, err = h.poll(approved)
		wantErr(t, err, grants.ErrDenied)
		_, err = h.refresh(c, tokens.Refresh)
		wantErr(t, err, identity.ErrDisabled)

		// The refusal used nothing up.
		must(t, h.Identity.DisableUser(ctx, ada.ID, false))
		_, err = h.refresh(c, tokens.Refresh)
		must(t, err)
	})
}
