package grants_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestAccessTokensOfAGrantAreBounded: of what a refresh token has given the newest stays, and what other grants gave.
func TestAccessTokensOfAGrantAreBounded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c, ada := h.client(identity.ClientWeb), h.User("ada")
		first, other := h.redeemed(c, ada.ID), h.redeemed(c, ada.ID)
		issue := pair()
		issue.Rotate = false
		var got []string
		for range 4 {
			tokens, err := h.Grants.Refresh(h.ctx, grants.RefreshRequest{
				Service: "labels", ClientID: c.ID, Secret: first.Refresh,
			}, issue)
			must(t, err)
			got = append(got, tokens.Access)
		}
		must(t, h.World.DB.Write(h.ctx, func(ctx context.Context, tx *database.Tx) error {
			return h.Identity.KeepNewestIn(ctx, tx, first.Token.Family, 2)
		}))
		good := identity.Requirement{Service: "labels", Kinds: identity.TokenKinds()}
		for n, secret := range append([]string{first.Access, other.Access}, got...) {
			want := identity.ErrUnknown
			if n == 1 || n >= 4 {
				want = nil
			}
			if err := h.Identity.StillGood(h.ctx, secret, good); !errors.Is(err, want) {
				t.Errorf("access token %d: %v, want %v", n, err, want)
			}
		}
		_, err := h.Grants.Refresh(h.ctx, grants.RefreshRequest{
			Service: "labels", ClientID: c.ID, Secret: first.Refresh,
		}, issue)
		must(t, err)
	})
}

// TestRefreshesAreBounded: a refresh token that is used again and again has so many access tokens and no more.
func TestRefreshesAreBounded(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	c := h.client(identity.ClientWeb)
	tokens, issue := h.redeemed(c, h.User("ada").ID), pair()
	issue.Rotate = false
	const most = 1000
	for range most + 5 {
		_, err := h.Grants.Refresh(h.ctx, grants.RefreshRequest{
			Service: "labels", ClientID: c.ID, Secret: tokens.Refresh,
		}, issue)
		must(t, err)
	}
	var n int
	must(t, h.World.DB.QueryRow(h.ctx, `SELECT COUNT(*) FROM identity_credentials WHERE kind = 'access'`).Scan(&n))
	if n != most {
		t.Errorf("%d access tokens, want %d", n, most)
	}
}

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

// Where the contract lets a refresh token live until it is revoked or expires, any
// number of uses is good, also at once, and none of them prolongs it.
func TestARefreshTokenThatStays(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		first := h.redeemed(c, h.User("ada").ID)
		stays := pair()
		stays.Rotate = false
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got, err := h.refreshWith(stays, c, first.Refresh)
				if err != nil || got.Refresh != first.Refresh || got.Access == first.Access {
					t.Errorf("refresh = %+v, %v; want the same refresh token and a new access token", got, err)
				}
			})
		}
		wg.Wait()
		h.Clock.Advance(30*24*time.Hour - time.Minute)
		last, err := h.refreshWith(stays, c, first.Refresh)
		must(t, err)
		if !last.RefreshToken.ExpiresAt.Equal(first.RefreshToken.ExpiresAt) {
			t.Errorf("the refresh token ends at %v, want %v", last.RefreshToken.ExpiresAt, first.RefreshToken.ExpiresAt)
		}
		if !last.Token.ExpiresAt.Equal(first.RefreshToken.ExpiresAt) {
			t.Errorf("the access token ends at %v, after access did", last.Token.ExpiresAt)
		}
		must(t, h.Grants.Revoke(t.Context(), last.Access))
		_, err = h.refreshWith(stays, c, first.Refresh)
		wantErr(t, err, identity.ErrRevoked)
	})
}

// A lost answer costs nothing: within the grace the same pair comes again.
func TestTheGraceOfARotation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c, ada := h.client(identity.ClientWeb), h.User("ada")
		grace := pair()
		grace.Grace = time.Minute
		first := h.redeemed(c, ada.ID)
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			pairs = map[[2]string]int{}
		)
		for range 16 {
			wg.Go(func() {
				got, err := h.refreshWith(grace, c, first.Refresh)
				if err != nil {
					t.Errorf("refresh: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				pairs[[2]string{got.Access, got.Refresh}]++
			})
		}
		wg.Wait()
		if len(pairs) != 1 {
			t.Fatalf("%d pairs came out of one refresh token, want one", len(pairs))
		}
		_, err := h.refreshWith(grace, identity.Client{ID: "x"}, first.Refresh)
		wantErr(t, err, identity.ErrUnknown)
		_, err = h.refreshWith(grace, c, first.Refresh, "storage.labels")
		wantErr(t, err, identity.ErrRevoked) // another request, and no theft
		must(t, h.Identity.DisableUser(t.Context(), ada.ID, true))
		_, err = h.refreshWith(grace, c, first.Refresh)
		wantErr(t, err, identity.ErrDisabled)
		must(t, h.Identity.DisableUser(t.Context(), ada.ID, false))
		h.Clock.Advance(time.Minute - time.Second)
		second, err := h.refreshWith(grace, c, first.Refresh)
		must(t, err)
		h.resolves(second.Access, nil)

		h.Clock.Advance(time.Second)
		_, err = h.refreshWith(grace, c, first.Refresh)
		wantErr(t, err, identity.ErrRevoked)
		h.resolves(second.Access, identity.ErrRevoked)
	})
}

// The new refresh token was used, so its answer arrived: a caller that presents the old
// one again has a copy.
func TestTheGraceEndsWithTheNextRotation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		grace := pair()
		grace.Grace = time.Minute
		first := h.redeemed(c, h.User("ada").ID)
		second, err := h.refreshWith(grace, c, first.Refresh)
		must(t, err)
		third, err := h.refreshWith(grace, c, second.Refresh)
		must(t, err)
		_, err = h.refreshWith(grace, c, first.Refresh)
		wantErr(t, err, identity.ErrRevoked)
		h.resolves(third.Access, identity.ErrRevoked)
	})
}

// Answers repeat scopes as they were asked for.
func TestAskedScopes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientDevice)
		const full = "http://stoa.test/auth/storage.labels.readonly"
		s, err := h.Grants.StartDevice(h.ctx, grants.DeviceRequest{
			Service: "labels", ClientID: c.ID, Scopes: []string{full, "storage.labels", "storage.labels"},
			TTL: 30 * time.Minute, Interval: 5 * time.Second,
		})
		must(t, err)
		_, err = h.Grants.Decide(h.ctx, s.Grant.ID, h.User("ada").ID, true)
		must(t, err)
		first, err := h.poll(s)
		must(t, err)
		second, err := h.refresh(c, first.Refresh)
		must(t, err)
		for _, tokens := range []grants.Tokens{first, second} {
			got := h.Identity.Spelled(h.ctx, tokens.Token)
			if want := []string{full, "storage.labels"}; !slices.Equal(got, want) {
				t.Errorf("scopes = %v, want %v", got, want)
			}
		}
		third, err := h.refresh(c, second.Refresh, "storage.labels.readonly")
		must(t, err)
		if got := h.Identity.Spelled(h.ctx, third.Token); !slices.Equal(got, []string{"storage.labels.readonly"}) {
			t.Errorf("narrowed scopes = %v", got)
		}
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
