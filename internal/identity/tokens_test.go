package identity_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/beforecommit"
)

func TestTokensResolve(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		u := h.user("Ada")
		tok, secret := h.token(identity.IssueOptions{
			UserID: u.ID, Services: []string{"labels", "articles"}, TTL: time.Hour, Note: "laptop",
			Scopes: []string{"storage.labels", "http://stoa.test/auth/storage.labels", "read_svc"},
		})
		if want := []string{"storage.labels", "read_svc"}; !slices.Equal(tok.Scopes, want) {
			t.Errorf("scopes = %q, want %q", tok.Scopes, want)
		}
		// Twice, so that the second answer comes from the cache where there is one.
		for range 2 {
			c := h.resolves("labels", secret, nil)
			if c.UserID != u.ID || c.UserName != "Ada" || c.TokenID != tok.ID || c.Kind != identity.KindPersonal ||
				c.Note != "laptop" || !c.ExpiresAt.Equal(epoch.Add(time.Hour)) {
				t.Errorf("caller = %+v", c)
			}
			for scope, want := range map[string]bool{
				"storage.labels": true, "http://stoa.test/auth/storage.labels": true, "read_svc": true,
				"storage.labels.readonly": false, "write_svc": false, "": false,
			} {
				if got := c.HasScope(scope); got != want {
					t.Errorf("HasScope(%q) = %t, want %t", scope, got, want)
				}
			}
		}
		h.resolves("articles", secret, nil)
		h.resolves("", secret, nil)
		h.resolves("pipelines", secret, identity.ErrUnknown)
		for _, wrong := range []string{"", "x", secret + "x", secret[:len(secret)-1], string(make([]byte, 10_000))} {
			h.resolves("labels", wrong, identity.ErrUnknown)
		}
		mine, err := h.TokensOf(t.Context(), u.ID)
		must(t, err)
		if len(mine) != 1 || mine[0].ID != tok.ID || !mine[0].Alive(epoch) {
			t.Errorf("TokensOf = %+v, want the one", mine)
		}
	})
}

func TestExpiryOnTheWorldsClock(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		u := h.user("ada")
		_, secret := h.token(identity.IssueOptions{UserID: u.ID, TTL: time.Hour})
		h.resolves("labels", secret, nil)
		h.clock.Advance(time.Hour - time.Nanosecond)
		h.resolves("labels", secret, nil)
		h.clock.Advance(time.Nanosecond)
		h.resolves("labels", secret, identity.ErrExpired)
		h.resolves("labels", secret, identity.ErrExpired)
		mine, err := h.TokensOf(t.Context(), u.ID)
		must(t, err)
		if len(mine) != 0 {
			t.Errorf("TokensOf = %+v, want none alive", mine)
		}
	})
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u := h.user("ada")
		issue := func(family string) (identity.Token, string) {
			tok, secret := h.token(identity.IssueOptions{UserID: u.ID, Family: family})
			h.resolves("labels", secret, nil)
			return tok, secret
		}
		one, oneSecret := issue("")
		_, two := issue("")
		_, famA := issue("a")
		_, famB := issue("a")
		_, last := issue("")

		must(t, h.RevokeToken(ctx, one.ID))
		must(t, h.RevokeToken(ctx, one.ID))
		h.resolves("labels", oneSecret, identity.ErrRevoked)
		wantErr(t, h.RevokeSecret(ctx, "articles", two), identity.ErrUnknown)
		wantErr(t, h.RevokeSecret(ctx, "labels", "nothing"), identity.ErrUnknown)
		h.resolves("labels", two, nil)
		must(t, h.RevokeSecret(ctx, "labels", two))
		h.resolves("labels", two, identity.ErrRevoked)
		must(t, h.RevokeFamily(ctx, ""))
		h.resolves("labels", last, nil)
		must(t, h.RevokeFamily(ctx, "a"))
		h.resolves("labels", famA, identity.ErrRevoked)
		h.resolves("labels", famB, identity.ErrRevoked)

		h.clock.Advance(time.Hour)
		if n, err := h.SweepCredentials(ctx, h.clock.Now()); err != nil || n != 4 {
			t.Errorf("SweepCredentials = %d, %v, want 4", n, err)
		}
		h.resolves("labels", famA, identity.ErrUnknown)
		h.resolves("labels", last, nil)
	})
}

func TestKindsOfTokens(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u := h.user("ada")
		org, err := h.AddOrg(ctx, "Acme", true)
		must(t, err)
		app, _, err := h.AddClient(ctx, identity.NewClient{Name: "app", Type: identity.ClientApp, OrgID: org.ID})
		must(t, err)
		events := []string{"events"}

		_, secret := h.token(identity.IssueOptions{
			Kind: identity.KindInstallation, ClientID: app.ID, UserID: u.ID, Services: events,
		})
		c := h.resolves("events", secret, nil)
		if c.UserID != 0 || c.Org != "Acme" || !c.OrgEnterprise || !c.ClientEnterprise || c.ClientType != identity.ClientApp {
			t.Errorf("installation = %+v, want the app in Acme without a user", c)
		}
		_, secret = h.token(identity.IssueOptions{Kind: identity.KindWorkflow, Repo: "Acme/site", Services: events})
		w := h.resolves("events", secret, nil)
		_, secret = h.token(identity.IssueOptions{
			Kind: identity.KindProject, Repo: "acme/site", UserID: u.ID, Services: events,
		})
		p := h.resolves("events", secret, nil)
		_, secret = h.token(identity.IssueOptions{UserID: u.ID, Services: events})
		own := h.resolves("events", secret, nil)
		if w.LimitKey() != "repo:acme/site" || p.LimitKey() != own.LimitKey() || c.LimitKey() == own.LimitKey() {
			t.Errorf("limit keys = %q %q %q %q", w.LimitKey(), p.LimitKey(), own.LimitKey(), c.LimitKey())
		}
		if w.Repo != "Acme/site" || w.String() != "workflow repo=Acme/site" {
			t.Errorf("workflow caller = %q", w)
		}
	})
}

func TestEnterpriseFacts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u := h.user("ada")
		org, err := h.AddOrg(ctx, "acme", true)
		must(t, err)
		c, clientSecret, err := h.AddClient(ctx, webClient())
		must(t, err)
		_, secret := h.token(identity.IssueOptions{UserID: u.ID, ClientID: c.ID})
		enterprise := func(want bool, when string) {
			t.Helper()
			if got := h.resolves("labels", secret, nil).ClientEnterprise; got != want {
				t.Errorf("%s: ClientEnterprise = %t, want %t", when, got, want)
			}
		}
		enterprise(false, "at first")
		plain, err := h.AddOrg(ctx, "plain", false)
		must(t, err)
		must(t, h.ApproveClient(ctx, plain.ID, c.ID, true))
		must(t, h.SetOrgMember(ctx, plain.ID, u.ID, identity.OrgMember))
		enterprise(false, "approved by a plain organization")
		must(t, h.ApproveClient(ctx, org.ID, c.ID, true))
		enterprise(false, "approved, but the user is not a member")
		must(t, h.SetOrgMember(ctx, org.ID, u.ID, identity.OrgMember))
		enterprise(true, "approved and member")
		must(t, h.ApproveClient(ctx, org.ID, c.ID, false))
		enterprise(false, "approval withdrawn")

		caller, err := h.ResolveClient(ctx, c.ID, clientSecret)
		must(t, err)
		if caller.Kind != identity.KindClient || caller.LimitKey() != "client:"+c.ID || caller.HasScope("read_svc") {
			t.Errorf("client caller = %+v", caller)
		}
	})
}

func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	web, _, err := h.AddClient(t.Context(), webClient())
	must(t, err)
	app, _, err := h.AddClient(t.Context(), identity.NewClient{Name: "app", Type: identity.ClientApp})
	must(t, err)
	labels := []string{"labels"}
	type options = identity.IssueOptions
	scoped := func(scope string) options {
		return options{Kind: identity.KindPersonal, UserID: u.ID, Services: labels, Scopes: []string{scope}}
	}
	ofService := func(service string) options {
		return options{Kind: identity.KindPersonal, UserID: u.ID, Services: []string{service}}
	}
	inRepo := func(repo string) options {
		return options{Kind: identity.KindProject, UserID: u.ID, Services: labels, Repo: repo}
	}
	ofClient := func(kind identity.Kind, client string) options {
		return options{Kind: kind, ClientID: client, Services: labels}
	}
	for label, row := range map[string]struct {
		o    options
		want error
	}{
		"no kind":             {options{UserID: u.ID, Services: labels}, identity.ErrInvalid},
		"key kind":            {options{Kind: identity.KindAPI, UserID: u.ID, Services: labels}, identity.ErrInvalid},
		"no user":             {options{Kind: identity.KindPersonal, Services: labels}, identity.ErrInvalid},
		"no service":          {options{Kind: identity.KindPersonal, UserID: u.ID}, identity.ErrInvalid},
		"two words":           {ofService("a b"), identity.ErrInvalid},
		"unknown service":     {ofService("nope"), identity.ErrNotFound},
		"unknown scope":       {scoped("x"), identity.ErrInvalid},
		"scope of another":    {scoped("read_svc"), identity.ErrInvalid},
		"foreign base":        {scoped("http://evil.test/auth/storage.labels"), identity.ErrInvalid},
		"project no repo":     {inRepo(""), identity.ErrInvalid},
		"bad repo":            {inRepo("a/b/c"), identity.ErrInvalid},
		"installation no app": {ofClient(identity.KindInstallation, ""), identity.ErrInvalid},
		"installation of web": {ofClient(identity.KindInstallation, web.ID), identity.ErrInvalid},
		"app without org":     {ofClient(identity.KindInstallation, app.ID), identity.ErrInvalid},
		"web client alone":    {ofClient(identity.KindAccess, web.ID), identity.ErrInvalid},
		"missing user":        {options{Kind: identity.KindPersonal, UserID: 999, Services: labels}, identity.ErrNotFound},
		"missing client":      {ofClient(identity.KindPersonal, "x"), identity.ErrNotFound},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			_, _, err := h.IssueToken(t.Context(), row.o)
			wantErr(t, err, row.want)
		})
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u := h.user("ada")
	prefixed := &identity.Format{Prefix: "p_", Alphabet: identity.Hex, Length: 32}
	for label, row := range map[string]struct {
		services []string
		format   *identity.Format
		want     string
	}{
		"articles":       {[]string{"articles"}, nil, `^[0-9a-f]{40}$`},
		"pipelines":      {[]string{"pipelines"}, nil, `^[0-9a-f]{40}$`},
		"analytics":      {[]string{"analytics"}, nil, `^[0-9A-Za-z]{40}$`},
		"by kind":        {[]string{"events"}, nil, `^personal_[0-9A-Za-z]{36}$`},
		"others":         {[]string{"labels"}, nil, `^[0-9A-Za-z_-]{43}$`},
		"every":          {[]string{"*"}, nil, `^[0-9a-f]{40}$`},
		"several":        {[]string{"labels", "articles", "analytics"}, nil, `^[0-9a-f]{40}$`},
		"several strict": {[]string{"labels", "analytics"}, nil, `^[0-9A-Za-z]{40}$`},
		"asked for":      {[]string{"labels"}, prefixed, `^p_[0-9a-f]{32}$`},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			_, secret, err := h.IssueToken(t.Context(), identity.IssueOptions{
				Kind: identity.KindPersonal, UserID: u.ID, Services: row.services, Format: row.format,
			})
			must(t, err)
			if !regexp.MustCompile(row.want).MatchString(secret) {
				t.Errorf("secret has another form than %s", row.want)
			}
		})
	}
}

// TestRevokedWithItsGrant: no commit leaves a token ended and others of its grant alive, and
// what an interrupted revocation left is ended by the next.
func TestRevokedWithItsGrant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		u := h.user("ada")
		access, secret := h.token(identity.IssueOptions{Kind: identity.KindAccess, UserID: u.ID, Family: "a"})
		refresh, refreshSecret := h.token(identity.IssueOptions{Kind: identity.KindRefresh, UserID: u.ID, Family: "a"})
		_, other := h.token(identity.IssueOptions{UserID: u.ID, Family: "b"})
		stop := errors.New("stop")
		ctx := beforecommit.With(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			var alive int
			err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM identity_credentials
				WHERE family = 'a' AND revoked_at IS NULL`).Scan(&alive)
			if err == nil && alive != 0 {
				t.Errorf("a commit leaves %d of the grant alive", alive)
			}
			return errors.Join(err, stop)
		})
		wantErr(t, h.RevokeToken(ctx, access.ID), stop)
		h.resolves("labels", secret, nil)

		must(t, h.RevokeToken(t.Context(), refresh.ID))
		h.resolves("labels", secret, identity.ErrRevoked)
		wantErr(t, h.RevokeToken(t.Context(), 1<<40), identity.ErrNotFound)
		h.resolves("labels", other, nil)
		if t, err := h.Token(ctx, refresh.ID); err != nil || t.RevokedAt.IsZero() {
			h.t.Errorf("the refresh token %q is %+v, %v; want it revoked", refreshSecret, t, err)
		}

		_, left := h.token(identity.IssueOptions{UserID: u.ID, Family: "a"})
		must(t, h.RevokeToken(t.Context(), access.ID))
		h.resolves("labels", left, identity.ErrRevoked)
	})
}
