package identity_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// Two Identities on one PostgreSQL stand for two processes.
func TestRevocationHoldsInOtherProcessesAtOnce(t *testing.T) {
	t.Parallel()
	db := databases.Postgres(t)
	c := clock.NewVirtual(epoch)
	one, two := build(t, db, c), build(t, db, c)
	u := one.user("ada")
	tok, secret := one.token(identity.IssueOptions{UserID: u.ID})
	k, key := one.key(identity.KeyOptions{UserID: u.ID})
	two.resolves("labels", secret, nil)
	two.resolves("apikeys", key, nil)
	must(t, one.RevokeToken(t.Context(), tok.ID))
	two.resolves("labels", secret, identity.ErrRevoked)
	_, fresh, err := one.ReplaceKey(t.Context(), k.ID, identity.KeyRenewal{})
	must(t, err)
	two.resolves("apikeys", key, identity.ErrRevoked)
	two.resolves("apikeys", fresh, nil)
	must(t, one.DisableUser(t.Context(), u.ID, true))
	two.resolves("apikeys", fresh, identity.ErrDisabled)
}

// Readers race with a revocation. One that starts after the revocation was
// acknowledged must be refused, also when a slow reader filled the cache late.
func TestNoReaderOutlivesARevocation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		u := h.user("ada")
		ctx := t.Context()
		for range 20 {
			tok, secret := h.token(identity.IssueOptions{UserID: u.ID})
			var wg sync.WaitGroup
			start := make(chan struct{})
			for range 4 {
				wg.Go(func() {
					<-start
					for range 5 {
						if _, err := h.Resolve(ctx, "labels", secret); err != nil && !errors.Is(err, identity.ErrRevoked) {
							t.Errorf("reader got %v", err)
						}
					}
				})
			}
			wg.Go(func() {
				<-start
				if err := h.RevokeToken(ctx, tok.ID); err != nil {
					t.Error(err)
				}
				if _, err := h.Resolve(ctx, "labels", secret); !errors.Is(err, identity.ErrRevoked) {
					t.Errorf("after the acknowledgement Resolve = %v, want ErrRevoked", err)
				}
			})
			close(start)
			wg.Wait()
			h.resolves("labels", secret, identity.ErrRevoked)
		}
	})
}

func TestTheCacheSparesTheDatabase(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	_, secret := h.token(identity.IssueOptions{UserID: u.ID})
	h.resolves("labels", secret, nil)
	// A context that is over fails every look-up in the database.
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Resolve(over, "labels", secret); err != nil {
		t.Errorf("Resolve of a cached token = %v, want no look-up", err)
	}
	if _, err := h.Resolve(over, "labels", "never seen"); errors.Is(err, identity.ErrUnknown) || err == nil {
		t.Errorf("Resolve of an unknown token = %v, want the database's error, not a verdict", err)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, func(o *identity.Options) { o.CacheSize = 32 })
	u := h.user("ada")
	var secrets []string
	for range 100 {
		_, secret := h.token(identity.IssueOptions{UserID: u.ID})
		secrets = append(secrets, secret)
	}
	for range 2 {
		for _, secret := range secrets {
			h.resolves("labels", secret, nil)
			h.resolves("labels", "unknown"+secret, identity.ErrUnknown)
		}
	}
	if got := h.CacheLen(); got > 32 || got == 0 {
		t.Errorf("cache holds %d entries, want 1 to 32", got)
	}
}

func TestNothingDeadStaysCached(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	tok, secret := h.token(identity.IssueOptions{UserID: u.ID, TTL: time.Hour})
	h.resolves("labels", secret, nil)
	h.clock.Advance(time.Hour)
	h.resolves("labels", secret, identity.ErrExpired)
	if got := h.CacheLen(); got != 0 {
		t.Errorf("cache holds %d entries after expiry, want 0", got)
	}
	_, other := h.token(identity.IssueOptions{UserID: u.ID})
	h.resolves("labels", other, nil)
	must(t, h.RevokeToken(t.Context(), tok.ID))
	must(t, h.RevokeSecret(t.Context(), "labels", other))
	if got := h.CacheLen(); got != 0 {
		t.Errorf("cache holds %d entries after revocation, want 0", got)
	}
}

func TestLastUse(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u := h.user("ada")
		tok, secret := h.token(identity.IssueOptions{UserID: u.ID})
		lastUse := func(want time.Time, when string) {
			t.Helper()
			got, err := h.Token(ctx, tok.ID)
			must(t, err)
			if !got.LastUsedAt.Equal(want) {
				t.Errorf("%s: last use = %v, want %v", when, got.LastUsedAt, want)
			}
		}
		lastUse(time.Time{}, "unused")
		before := h.db.Stats().Transactions
		for range 100 {
			h.resolves("labels", secret, nil)
		}
		if got := h.db.Stats().Transactions; got != before {
			t.Errorf("100 uses made %d write transactions, want none", got-before)
		}
		lastUse(epoch, "pending")
		must(t, h.Flush(ctx))
		lastUse(epoch, "written")
		h.clock.Advance(10 * time.Second)
		h.resolves("labels", secret, nil)
		lastUse(epoch.Add(10*time.Second), "used again")
		must(t, h.Flush(ctx))
		must(t, h.Flush(ctx))
		lastUse(epoch.Add(10*time.Second), "written again")
	})
}

func TestTheFlushRunsOnTheWorldsClock(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	_, secret := h.token(identity.IssueOptions{UserID: u.ID})
	h.resolves("labels", secret, nil)
	eventually(t, "the flush waits for its time", func() bool { _, armed := h.clock.NextDue(); return armed })
	h.clock.Advance(time.Minute)
	eventually(t, "the last use is written", func() bool {
		var n int
		must(t, h.db.QueryRow(t.Context(),
			`SELECT COUNT(*) FROM identity_credentials WHERE last_used_at IS NOT NULL`).Scan(&n))
		return n == 1
	})
}

// eventually polls for what another goroutine does; the time is a guard only.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	guard := time.After(20 * time.Second)
	for !done() {
		select {
		case <-guard:
			t.Fatalf("waited in vain until %s", what)
		default:
			<-time.After(time.Millisecond)
		}
	}
}

func TestAFailedFlushLosesNothing(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	tok, secret := h.token(identity.IssueOptions{UserID: u.ID})
	h.resolves("labels", secret, nil)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Flush(over); err == nil {
		t.Fatal("Flush with an ended context succeeded")
	}
	must(t, h.Flush(t.Context()))
	got, err := h.Token(t.Context(), tok.ID)
	must(t, err)
	if !got.LastUsedAt.Equal(epoch) {
		t.Errorf("last use = %v, want %v", got.LastUsedAt, epoch)
	}
}

func TestAuthenticators(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ctx := t.Context()
	u := h.user("ada")
	_, good := h.token(identity.IssueOptions{UserID: u.ID})
	_, refresh := h.token(identity.IssueOptions{UserID: u.ID, Kind: identity.KindRefresh})
	old, expired := h.token(identity.IssueOptions{UserID: u.ID, TTL: time.Second})
	gone, revoked := h.token(identity.IssueOptions{UserID: u.ID})
	_, key := h.key(identity.KeyOptions{UserID: u.ID, Service: "labels"})
	must(t, h.RevokeToken(ctx, gone.ID))
	h.clock.Set(old.ExpiresAt)
	client, clientSecret, err := h.AddClient(ctx, webClient())
	must(t, err)

	tokens, pairs, clients := h.Authenticator("labels"), h.PairAuthenticator("labels"), h.ClientAuthenticator()
	for label, row := range map[string]struct {
		ask    identity.Authenticate
		c      credential.Credential
		reason string
	}{
		"good":         {tokens, credential.Credential{Value: good}, ""},
		"refresh":      {tokens, credential.Credential{Value: refresh}, route.Unknown},
		"key":          {tokens, credential.Credential{Value: key}, route.Unknown},
		"expired":      {tokens, credential.Credential{Value: expired}, route.Expired},
		"revoked":      {tokens, credential.Credential{Value: revoked}, route.Revoked},
		"unknown":      {tokens, credential.Credential{Value: "x"}, route.Unknown},
		"pair":         {pairs, credential.Credential{Value: key}, ""},
		"pair token":   {pairs, credential.Credential{Value: good}, route.Unknown},
		"client":       {clients, credential.Credential{Value: client.ID, Second: clientSecret}, ""},
		"wrong client": {clients, credential.Credential{Value: client.ID, Second: "x"}, route.Unknown},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			caller, err := row.ask(context.Background(), row.c)
			var bad *route.CredentialError
			switch {
			case row.reason == "":
				must(t, err)
				if from := identity.From(&route.Request{Caller: caller}); from == nil || from.Kind == "" {
					t.Errorf("From = %v, want the caller", from)
				}
			case !errors.As(err, &bad) || bad.Reason != row.reason:
				t.Errorf("err = %v, want reason %s", err, row.reason)
			case caller != nil:
				t.Errorf("caller = %v, want a true nil", caller)
			}
		})
	}
	if got := identity.From(&route.Request{}); got != nil {
		t.Errorf("From of an anonymous request = %v, want nil", got)
	}
}

func TestUseAndFlushMayRace(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	team, err := h.AddTeam(t.Context(), identity.NewTeam{Name: "crew", OwnerID: u.ID})
	must(t, err)
	_, secret := h.token(identity.IssueOptions{UserID: u.ID})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				h.clock.Advance(time.Second)
				h.RecordTeamAccess(team.ID, u.ID)
				if _, err := h.Resolve(t.Context(), "labels", secret); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				if err := h.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, h.Flush(t.Context()))
	m, err := h.TeamMember(t.Context(), team.ID, u.ID)
	must(t, err)
	if want := epoch.Add(200 * time.Second); !m.LastAccess.Equal(want) {
		t.Errorf("last access = %v, want %v", m.LastAccess, want)
	}
}
