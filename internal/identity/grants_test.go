package identity_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// pair is the usual outcome: an hour of access and a month of refresh.
func pair() identity.Issue {
	return identity.Issue{AccessTTL: time.Hour, RefreshTTL: 30 * 24 * time.Hour, Refresh: true}
}

func (h *fixture) client(kind identity.ClientType, change ...func(*identity.NewClient)) identity.Client {
	h.t.Helper()
	n := identity.NewClient{Name: "app", Type: kind}
	if kind == identity.ClientWeb {
		n.RedirectURIs = []string{"https://app.test/back"}
	}
	for _, f := range change {
		f(&n)
	}
	c, _, err := h.AddClient(h.t.Context(), n)
	must(h.t, err)
	return c
}

func (h *fixture) device(client string) identity.DeviceStart {
	h.t.Helper()
	s, err := h.StartDevice(h.t.Context(), identity.DeviceRequest{
		Service: "labels", ClientID: client, Scopes: []string{"storage.labels"},
		TTL: 30 * time.Minute, Interval: 5 * time.Second,
	})
	must(h.t, err)
	return s
}

func (h *fixture) poll(s identity.DeviceStart) (identity.Tokens, error) {
	return h.pollAs(s, "post")
}

func (h *fixture) pollAs(s identity.DeviceStart, style string) (identity.Tokens, error) {
	return h.PollDevice(h.t.Context(), identity.Poll{
		Service: "labels", ClientID: s.Grant.ClientID, Code: s.DeviceCode, Style: style,
	}, pair())
}

func TestDeviceFlow(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.user("ada"), h.client(identity.ClientDevice)

		s := h.device(c.ID)
		if !regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`).MatchString(s.UserCode) {
			t.Errorf("user code = %q", s.UserCode)
		}
		_, err := h.poll(s)
		wantErr(t, err, identity.ErrGrantPending)

		g, err := h.GrantByUserCode(t.Context(), s.UserCode)
		must(t, err)
		_, err = h.GrantByUserCode(t.Context(), strings.ToLower(s.UserCode))
		wantErr(t, err, identity.ErrGrantUnknown)

		_, err = h.Decide(t.Context(), g.ID, ada.ID, true)
		must(t, err)
		// A decision is told at once, even to an early poll.
		tokens, err := h.poll(s)
		must(t, err)
		caller, err := h.Resolve(t.Context(), "labels", tokens.Access)
		must(t, err)
		if caller.UserID != ada.ID || caller.ClientID != c.ID || !caller.HasScope("storage.labels") || tokens.Refresh == "" {
			t.Errorf("caller = %+v", caller)
		}
		_, err = h.poll(s)
		wantErr(t, err, identity.ErrGrantClaimed)
		_, err = h.Decide(t.Context(), g.ID, ada.ID, false)
		wantErr(t, err, identity.ErrGrantClaimed)
	})
}

func TestDeviceEnds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.user("ada"), h.client(identity.ClientDevice)

		denied := h.device(c.ID)
		_, err := h.Decide(t.Context(), denied.Grant.ID, ada.ID, false)
		must(t, err)
		_, err = h.poll(denied)
		wantErr(t, err, identity.ErrGrantDenied)

		for _, p := range []identity.Poll{
			{Service: "labels", ClientID: "other", Code: denied.DeviceCode},
			{Service: "analytics", ClientID: c.ID, Code: denied.DeviceCode},
			{Service: "labels", ClientID: c.ID, Code: "junk"},
		} {
			_, err = h.PollDevice(t.Context(), p, pair())
			wantErr(t, err, identity.ErrGrantUnknown)
		}

		late, approved := h.device(c.ID), h.device(c.ID)
		_, err = h.Decide(t.Context(), approved.Grant.ID, ada.ID, true)
		must(t, err)
		h.clock.Advance(30 * time.Minute)
		for _, s := range []identity.DeviceStart{late, approved} {
			_, err = h.poll(s)
			wantErr(t, err, identity.ErrGrantExpired)
		}
		_, err = h.GrantByUserCode(t.Context(), late.UserCode)
		wantErr(t, err, identity.ErrGrantExpired)
		_, err = h.Decide(t.Context(), late.Grant.ID, ada.ID, true)
		wantErr(t, err, identity.ErrGrantExpired)

		n, err := h.SweepGrants(t.Context(), h.clock.Now().Add(time.Minute))
		must(t, err)
		if n != 3 {
			t.Errorf("swept %d grants, want 3", n)
		}
		_, err = h.poll(late)
		wantErr(t, err, identity.ErrGrantUnknown)
	})
}

// TestPollPace is the rule that a device which obeys is never held back.
func TestPollPace(t *testing.T) {
	t.Parallel()
	const late, soon = 0, 1
	verdicts := []error{identity.ErrGrantPending, identity.ErrGrantTooSoon}
	type step struct {
		gap   time.Duration
		style string
		want  int
	}
	for name, steps := range map[string][]step{
		"at the interval":     {{0, "post", late}, {5 * time.Second, "post", late}, {5 * time.Second, "post", late}},
		"with jitter":         {{0, "post", late}, {4100 * time.Millisecond, "post", late}, {4100 * time.Millisecond, "post", late}},
		"twice at once":       {{0, "post", late}, {0, "post", soon}},
		"too fast":            {{0, "post", late}, {time.Second, "post", soon}, {time.Second, "post", soon}},
		"recovers":            {{0, "post", late}, {time.Second, "post", soon}, {10 * time.Second, "post", late}},
		"both styles at once": {{0, "basic", late}, {1e6, "post", late}, {5 * time.Second, "basic", late}, {1e6, "post", late}},
		"a pair is not four":  {{0, "basic", late}, {1e6, "post", late}, {1e6, "basic", soon}},
		"a pair shares a no":  {{0, "post", late}, {2 * time.Second, "basic", soon}, {1e6, "post", soon}, {4 * time.Second, "post", late}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := onSQLite(t)
			s := h.device(h.client(identity.ClientDevice).ID)
			for n, step := range steps {
				h.clock.Advance(step.gap)
				if _, err := h.pollAs(s, step.style); !errors.Is(err, verdicts[step.want]) {
					t.Errorf("poll %d: %v, want %v", n, err, verdicts[step.want])
				}
			}
		})
	}
}

func TestOrganizationsLimitGrants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, grace := h.user("ada"), h.user("grace")
		org, err := h.AddOrg(t.Context(), "lyceum", false)
		must(t, err)
		must(t, h.SetOrgMember(t.Context(), org.ID, ada.ID, identity.OrgMember))

		internal := h.client(identity.ClientDevice, func(n *identity.NewClient) { n.OrgID, n.Internal = org.ID, true })
		outside := h.device(internal.ID)
		g, err := h.Decide(t.Context(), outside.Grant.ID, grace.ID, true)
		must(t, err)
		if g.State != identity.GrantRefused {
			t.Errorf("state = %s, want refused", g.State)
		}
		_, err = h.poll(outside)
		wantErr(t, err, identity.ErrGrantInternal)

		inside := h.device(internal.ID)
		_, err = h.Decide(t.Context(), inside.Grant.ID, ada.ID, true)
		must(t, err)
		_, err = h.poll(inside)
		must(t, err)

		must(t, h.ForbidScope(t.Context(), org.ID, "storage.labels", true))
		forbidden := h.device(h.client(identity.ClientDevice).ID)
		_, err = h.Decide(t.Context(), forbidden.Grant.ID, ada.ID, true)
		must(t, err)
		_, err = h.poll(forbidden)
		wantErr(t, err, identity.ErrGrantPolicy)

		must(t, h.ForbidScope(t.Context(), org.ID, "storage.labels", false))
		allowed := h.device(h.client(identity.ClientDevice).ID)
		_, err = h.Decide(t.Context(), allowed.Grant.ID, ada.ID, true)
		must(t, err)
		_, err = h.poll(allowed)
		must(t, err)
	})
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (h *fixture) code(c identity.Client, user int64, proof string) string {
	h.t.Helper()
	code, _, err := h.GrantCode(h.t.Context(), identity.CodeRequest{
		Service: "labels", ClientID: c.ID, RedirectURI: "https://app.test/back", Scopes: []string{"storage.labels"},
		UserID: user, Challenge: proof, TTL: 10 * time.Minute,
	})
	must(h.t, err)
	return code
}

func TestCodeFlow(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.user("ada"), h.client(identity.ClientWeb)
		back, wrong := "https://app.test/back", "https://app.test/back/"
		proof := challenge("verifier")
		for name, row := range map[string]struct {
			proof string
			with  identity.Redemption
			want  error
		}{
			"plain":                  {"", identity.Redemption{ClientID: c.ID, RedirectURI: &back}, nil},
			"without address":        {"", identity.Redemption{ClientID: c.ID}, nil},
			"with proof":             {proof, identity.Redemption{ClientID: c.ID, RedirectURI: &back, Verifier: "verifier"}, nil},
			"another client":         {"", identity.Redemption{ClientID: "x", RedirectURI: &back}, identity.ErrGrantMismatch},
			"another address":        {"", identity.Redemption{ClientID: c.ID, RedirectURI: &wrong}, identity.ErrGrantMismatch},
			"no proof":               {proof, identity.Redemption{ClientID: c.ID, RedirectURI: &back}, identity.ErrGrantMismatch},
			"wrong proof":            {proof, identity.Redemption{ClientID: c.ID, RedirectURI: &back, Verifier: "x"}, identity.ErrGrantMismatch},
			"proof nobody asked for": {"", identity.Redemption{ClientID: c.ID, RedirectURI: &back, Verifier: "x"}, identity.ErrGrantMismatch},
			"another service":        {"", identity.Redemption{Service: "articles", ClientID: c.ID}, identity.ErrGrantUnknown},
		} {
			t.Run(name, func(t *testing.T) {
				r := row.with
				r.Code = h.code(c, ada.ID, row.proof)
				if r.Service == "" {
					r.Service = "labels"
				}
				tokens, err := h.RedeemCode(t.Context(), r, pair())
				if !errors.Is(err, row.want) {
					t.Fatalf("err = %v, want %v", err, row.want)
				}
				if row.want == nil {
					_, err = h.Resolve(t.Context(), "labels", tokens.Access)
					must(t, err)
				}
			})
		}
	})
}

func TestReplayedCodeEndsTheFamily(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		r := identity.Redemption{Service: "labels", ClientID: c.ID, Code: h.code(c, h.user("ada").ID, "")}
		tokens, err := h.RedeemCode(t.Context(), r, pair())
		must(t, err)
		_, err = h.RedeemCode(t.Context(), r, pair())
		wantErr(t, err, identity.ErrGrantClaimed)
		_, err = h.Resolve(t.Context(), "labels", tokens.Access)
		wantErr(t, err, identity.ErrRevoked)
	})
}

// TestRedeemedOnce is promise P5, on both databases.
func TestRedeemedOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada := h.user("ada")
		c := h.client(identity.ClientDevice)
		s := h.device(c.ID)
		_, err := h.Decide(t.Context(), s.Grant.ID, ada.ID, true)
		must(t, err)
		refreshed, err := func() (identity.Tokens, error) {
			other := h.device(c.ID)
			if _, err := h.Decide(t.Context(), other.Grant.ID, ada.ID, true); err != nil {
				return identity.Tokens{}, err
			}
			return h.poll(other)
		}()
		must(t, err)

		var (
			wg               sync.WaitGroup
			mu               sync.Mutex
			polled, renewals int
		)
		for range 32 {
			wg.Go(func() {
				_, pollErr := h.poll(s)
				_, refreshErr := h.RefreshTokens(t.Context(),
					identity.RefreshRequest{Service: "labels", ClientID: c.ID, Secret: refreshed.Refresh}, pair())
				mu.Lock()
				defer mu.Unlock()
				if pollErr == nil {
					polled++
				} else if !errors.Is(pollErr, identity.ErrGrantClaimed) {
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
		first, err := h.RedeemCode(t.Context(), identity.Redemption{Service: "labels", ClientID: c.ID, Code: h.code(c, h.user("ada").ID, "")}, pair())
		must(t, err)
		request := identity.RefreshRequest{Service: "labels", ClientID: c.ID, Secret: first.Refresh}

		other := request
		other.ClientID = "x"
		_, err = h.RefreshTokens(t.Context(), other, pair())
		wantErr(t, err, identity.ErrUnknown)
		access := request
		access.Secret = first.Access
		_, err = h.RefreshTokens(t.Context(), access, pair())
		wantErr(t, err, identity.ErrUnknown)
		wider := request
		wider.Scopes = []string{"storage.labels", "storage.labels.readonly"}
		_, err = h.RefreshTokens(t.Context(), wider, pair())
		wantErr(t, err, identity.ErrInvalid)

		second, err := h.RefreshTokens(t.Context(), request, pair())
		must(t, err)
		if second.Refresh == first.Refresh || second.Access == first.Access {
			t.Error("a refresh returned old tokens")
		}
		// The copy of the first refresh token is used: everything ends.
		_, err = h.RefreshTokens(t.Context(), request, pair())
		wantErr(t, err, identity.ErrRevoked)
		_, err = h.Resolve(t.Context(), "labels", second.Access)
		wantErr(t, err, identity.ErrRevoked)
		_, err = h.RefreshTokens(t.Context(), identity.RefreshRequest{Service: "labels", ClientID: c.ID, Secret: second.Refresh}, pair())
		wantErr(t, err, identity.ErrRevoked)
	})
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		tokens, err := h.RedeemCode(t.Context(), identity.Redemption{Service: "labels", ClientID: c.ID, Code: h.code(c, h.user("ada").ID, "")}, pair())
		must(t, err)
		h.clock.Advance(time.Hour)
		_, err = h.Resolve(t.Context(), "labels", tokens.Access)
		wantErr(t, err, identity.ErrExpired)
		h.clock.Advance(30 * 24 * time.Hour)
		_, err = h.RefreshTokens(t.Context(), identity.RefreshRequest{Service: "labels", ClientID: c.ID, Secret: tokens.Refresh}, pair())
		wantErr(t, err, identity.ErrExpired)
	})
}

// A revocation that another process commits while a refresh is under way wins:
// the refresh must not put a live pair into a family that has ended.
func TestARefreshLosesToARevocation(t *testing.T) {
	t.Parallel()
	db := databases.Postgres(t)
	h := build(t, db, clock.NewVirtual(epoch))
	ctx := t.Context()
	c := h.client(identity.ClientWeb)
	tokens, err := h.RedeemCode(ctx, identity.Redemption{Service: "labels", ClientID: c.ID, Code: h.code(c, h.user("ada").ID, "")}, pair())
	must(t, err)
	refreshed := make(chan error)
	must(t, db.WriteKeyed(ctx, "another process", func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE identity_credentials SET revoked_at = $1`, database.Time(epoch)); err != nil {
			return err
		}
		go func() {
			// Not the context of the transaction: this is another one.
			_, err := h.RefreshTokens(t.Context(), identity.RefreshRequest{
				Service: "labels", ClientID: c.ID, Secret: tokens.Refresh,
			}, pair())
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
		ada, c := h.user("ada"), h.client(identity.ClientDevice)
		connected, approved := h.device(c.ID), h.device(c.ID)
		for _, s := range []identity.DeviceStart{connected, approved} {
			_, err := h.Decide(ctx, s.Grant.ID, ada.ID, true)
			must(t, err)
		}
		tokens, err := h.poll(connected)
		must(t, err)
		must(t, h.DisableUser(ctx, ada.ID, true))

		_, err = h.poll(approved)
		wantErr(t, err, identity.ErrGrantDenied)
		request := identity.RefreshRequest{Service: "labels", ClientID: c.ID, Secret: tokens.Refresh}
		_, err = h.RefreshTokens(ctx, request, pair())
		wantErr(t, err, identity.ErrDisabled)

		// The refusal used nothing up.
		must(t, h.DisableUser(ctx, ada.ID, false))
		_, err = h.RefreshTokens(ctx, request, pair())
		must(t, err)
	})
}
