package identity_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
)

func TestReplaceKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		team, err := h.AddTeam(ctx, identity.NewTeam{Name: "crew", OwnerID: ada.ID})
		must(t, err)
		old, oldSecret := h.key(identity.KeyOptions{UserID: ada.ID, TeamID: team.ID, Note: "laptop", Days: 3})
		h.resolves("apikeys", oldSecret, nil)
		h.clock.Advance(time.Minute)

		format := identity.Format{Prefix: "svc_", Alphabet: identity.Hex, Length: 32}
		fresh, secret, err := h.ReplaceKey(ctx, old.ID, identity.KeyRenewal{Days: 60, Format: &format})
		must(t, err)
		if len(secret) != 36 || secret[:4] != "svc_" {
			t.Errorf("secret has %d characters, want prefix and 32", len(secret))
		}
		if fresh.Note != "laptop" || fresh.TeamID != team.ID || fresh.UserID != ada.ID || fresh.ID == old.ID {
			t.Errorf("new key = %+v, want note, team and owner of the old", fresh)
		}
		if want := h.clock.Now().Add(60 * 24 * time.Hour); !fresh.ExpiresAt.Equal(want) {
			t.Errorf("expires %v, want %v", fresh.ExpiresAt, want)
		}
		entries, err := audit.List(ctx, h.db, audit.Filter{Limit: 1})
		must(t, err)
		if want := fmt.Sprintf("user ada api for apikeys in place of %d", old.ID); entries[0].Detail != want {
			t.Errorf("the entry of the trail says %q, want %q", entries[0].Detail, want)
		}
		h.resolves("apikeys", oldSecret, identity.ErrRevoked)
		if c := h.resolves("apikeys", secret, nil); !c.Scopes.Unlimited() || c.Team != "crew" || c.Kind != identity.KindAPI {
			t.Errorf("caller = %+v, want every right", c)
		}
		_, _, err = h.ReplaceKey(ctx, old.ID, identity.KeyRenewal{})
		wantErr(t, err, identity.ErrKeyGone)
		_, _, err = h.ReplaceKey(ctx, 999, identity.KeyRenewal{})
		wantErr(t, err, identity.ErrKeyGone)
		_, _, err = h.ReplaceKey(ctx, fresh.ID, identity.KeyRenewal{Days: -1})
		wantErr(t, err, identity.ErrInvalid)
		h.resolves("apikeys", secret, nil)

		token, _ := h.token(identity.IssueOptions{UserID: ada.ID})
		_, _, err = h.ReplaceKey(ctx, token.ID, identity.KeyRenewal{})
		wantErr(t, err, identity.ErrKind)

		never, _, err := h.ReplaceKey(ctx, fresh.ID, identity.KeyRenewal{})
		must(t, err)
		if !never.ExpiresAt.IsZero() {
			t.Errorf("expires %v, want never", never.ExpiresAt)
		}
	})
}

var rounds = flag.Int("rounds", 1, "how many keys 64 callers replace at once")

func TestOneOf64ReplacementsWins(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada := h.user("ada")
		for round := range *rounds {
			old, oldSecret := h.key(identity.KeyOptions{UserID: ada.ID})
			h.resolves("apikeys", oldSecret, nil)
			winner := replaceAtOnce(t, h, old.ID)
			h.resolves("apikeys", oldSecret, identity.ErrRevoked)
			h.resolves("apikeys", winner, nil)
			alive, err := h.KeysOf(t.Context(), ada.ID)
			must(t, err)
			if len(alive) != round+1 {
				t.Fatalf("%d keys are alive after %d rounds, want one of each", len(alive), round+1)
			}
		}
		t.Logf("%d rounds of 64, one new key each", *rounds)
	})
}

// replaceAtOnce lets 64 callers replace one key and returns the secret of the one that could.
func replaceAtOnce(t *testing.T, h *fixture, id int64) string {
	t.Helper()
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		winners []string
	)
	for range 64 {
		wg.Go(func() {
			_, secret, err := h.ReplaceKey(t.Context(), id, identity.KeyRenewal{Days: 30})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners = append(winners, secret)
			} else if !errors.Is(err, identity.ErrKeyGone) {
				t.Errorf("loser got %v, want ErrKeyGone", err)
			}
		})
	}
	wg.Wait()
	if len(winners) != 1 {
		t.Fatalf("%d of 64 won, want 1", len(winners))
	}
	return winners[0]
}

func TestKeysLiveForTheirDays(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada := h.user("ada")
		k, secret := h.key(identity.KeyOptions{UserID: ada.ID, Days: 1})
		if want := epoch.Add(24 * time.Hour); !k.ExpiresAt.Equal(want) {
			t.Errorf("expires %v, want %v", k.ExpiresAt, want)
		}
		h.resolves("apikeys", secret, nil)
		h.clock.Advance(24*time.Hour - time.Second)
		h.resolves("apikeys", secret, nil)
		h.clock.Advance(time.Second)
		h.resolves("apikeys", secret, identity.ErrExpired)

		// The year 3029 is beyond what nanoseconds can count to.
		_, secret = h.key(identity.KeyOptions{UserID: ada.ID, Days: identity.MaxDays})
		h.resolves("apikeys", secret, nil)
		_, _, err := h.IssueKey(t.Context(), identity.KeyOptions{
			Service: "apikeys", UserID: ada.ID, Days: identity.MaxDays + 1,
		})
		wantErr(t, err, identity.ErrInvalid)
	})
}

func TestKeyPairs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, bob := h.user("ada"), h.user("bob")
		_, api := h.key(identity.KeyOptions{UserID: ada.ID, Service: "snapshots"})
		appKey, app := h.key(identity.KeyOptions{UserID: ada.ID, Service: "snapshots", Kind: identity.KindApplication})
		_, foreign := h.key(identity.KeyOptions{UserID: bob.ID, Service: "snapshots", Kind: identity.KindApplication})
		if len(api) != 32 || len(app) != 40 {
			t.Errorf("keys have %d and %d characters, want 32 and 40", len(api), len(app))
		}
		c, err := h.ResolvePair(ctx, "snapshots", api, app)
		must(t, err)
		if c.ApplicationKeyID != appKey.ID || c.UserName != "ada" {
			t.Errorf("caller = %+v", c)
		}
		alone, err := h.ResolvePair(ctx, "snapshots", api, "")
		must(t, err)
		if alone.ApplicationKeyID != 0 {
			t.Errorf("application key = %d, want none", alone.ApplicationKeyID)
		}
		for label, row := range map[string]struct {
			api, app string
			want     error
		}{
			"swapped": {app, api, identity.ErrKind}, "foreign": {api, foreign, identity.ErrUnknown},
			"unknown": {api, "x", identity.ErrUnknown}, "twice": {api, api, identity.ErrKind},
		} {
			if _, err := h.ResolvePair(ctx, "snapshots", row.api, row.app); !errors.Is(err, row.want) {
				t.Errorf("%s: err = %v, want %v", label, err, row.want)
			}
		}
		keys, err := h.KeysOf(ctx, ada.ID)
		must(t, err)
		kinds := []identity.Kind{}
		for _, k := range keys {
			kinds = append(kinds, k.Kind)
		}
		if want := []identity.Kind{identity.KindApplication, identity.KindAPI}; !slices.Equal(kinds, want) {
			t.Errorf("KeysOf = %v, want %v", kinds, want)
		}
	})
}
