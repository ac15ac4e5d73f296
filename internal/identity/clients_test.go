package identity_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

func TestClients(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		made, secret, err := h.AddClient(ctx, identity.NewClient{
			Name: "Reader", Type: identity.ClientWeb, OwnerID: ada.ID,
			RedirectURIs: []string{"https://a.test/cb", "/oauth2/success"},
		})
		must(t, err)
		form := regexp.MustCompile(`^[0-9a-f]{40}$`)
		if !form.MatchString(made.ID) || !form.MatchString(secret) {
			t.Errorf("id %q and secret must be 40 hexadecimal characters", made.ID)
		}
		got, err := h.CheckClient(ctx, made.ID, secret)
		must(t, err)
		if diff := cmp.Diff(made, got, cmpopts.IgnoreUnexported(identity.Client{})); diff != "" {
			t.Errorf("CheckClient (-made +got):\n%s", diff)
		}
		for label, pair := range map[string][2]string{
			"wrong secret": {made.ID, "x"}, "no secret": {made.ID, ""}, "wrong id": {"x", secret}, "nothing": {"", ""},
		} {
			if _, err := h.CheckClient(ctx, pair[0], pair[1]); err == nil {
				t.Errorf("%s was accepted", label)
			} else {
				wantErr(t, err, identity.ErrUnknown)
			}
		}
		fresh, err := h.ReplaceClientSecret(ctx, made.ID)
		must(t, err)
		_, err = h.CheckClient(ctx, made.ID, secret)
		wantErr(t, err, identity.ErrUnknown)
		_, err = h.CheckClient(ctx, made.ID, fresh)
		must(t, err)
		mine, err := h.Clients(ctx, ada.ID)
		must(t, err)
		if len(mine) != 1 || mine[0].ID != made.ID {
			t.Errorf("Clients = %+v, want the one", mine)
		}
		_, token := h.token(identity.IssueOptions{UserID: ada.ID, ClientID: made.ID})
		h.resolves("labels", token, nil)
		must(t, h.DeleteClient(ctx, made.ID))
		h.resolves("labels", token, identity.ErrUnknown)
		_, err = h.CheckClient(ctx, made.ID, fresh)
		wantErr(t, err, identity.ErrUnknown)
		_, err = h.Client(ctx, made.ID)
		wantErr(t, err, identity.ErrNotFound)
		wantErr(t, h.DeleteClient(ctx, made.ID), identity.ErrNotFound)
	})
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		c, _, err := h.AddClient(ctx, identity.NewClient{Name: "Robot", Type: identity.ClientService})
		must(t, err)
		_, secret := h.token(identity.IssueOptions{Kind: identity.KindAccess, ClientID: c.ID})
		caller := h.resolves("labels", secret, nil)
		if !caller.ServiceAccount || caller.UserID != c.PrincipalID || caller.UserID == 0 || caller.ClientID != c.ID {
			t.Errorf("caller = %+v, want the principal %d of the client", caller, c.PrincipalID)
		}
		if n, err := h.CountUsers(ctx); err != nil || n != 0 {
			t.Errorf("CountUsers = %d, %v, want 0: a service account is not counted", n, err)
		}
		principal, err := h.User(ctx, c.PrincipalID)
		must(t, err)
		_, err = h.CheckPassword(ctx, principal.Name, "")
		wantErr(t, err, identity.ErrWrongPassword)
		wantErr(t, h.SetPassword(ctx, principal.ID, "long enough"), identity.ErrNotFound)
		must(t, h.DeleteClient(ctx, c.ID))
		if principal, err = h.User(ctx, c.PrincipalID); err != nil || !principal.Disabled {
			t.Errorf("principal after deletion = %+v, %v, want it disabled", principal, err)
		}
	})
}

func TestClientsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	web := func(redirects ...string) identity.NewClient {
		return identity.NewClient{Name: "x", Type: identity.ClientWeb, RedirectURIs: redirects}
	}
	for label, n := range map[string]identity.NewClient{
		"no name":                  {Type: identity.ClientDevice},
		"no type":                  {Name: "x"},
		"no redirect":              web(),
		"internal to none":         {Name: "x", Type: identity.ClientDevice, Internal: true},
		"fragment":                 web("https://a.test/#x"),
		"empty fragment":           web("https://a.test/#"),
		"relative":                 web("cb"),
		"no host":                  web("https:///cb"),
		"user in host":             web("https://u@a.test/"),
		"script":                   web("JavaScript:alert(1)"),
		"line break":               web("https://a.test/\nx"),
		"other host":               web("//a.test/cb"),
		"backslash":                web(`/\a.test`),
		"three slashes":            web("///a.test/cb"),
		"plain http":               web("http://a.test/cb"),
		"http to a prefix":         web("http://localhost.evil.test/cb"),
		"http, loopback as a user": web("http://127.0.0.1@evil.test/cb"),
		"http, short address":      web("http://127.1/cb"),
		"http, number":             web("http://2130706433/cb"),
		"http, any address":        web("http://0.0.0.0/cb"),
		"wildcard":                 web("https://*.evil.test/"),
		"wildcard alone":           web("https://*/"),
		"encoded wildcard":         web("https://%2a.evil.test/"),
		"beyond ASCII":             web("https://ex\u00e4mple.test/"),
		"zone":                     web("https://[fe80::1%25eth0]/"),
		"empty label":              web("https://a..test/"),
		"data":                     web("data:text/html,x"),
		"blob":                     web("blob:https://a.test/1"),
		"mail":                     web("mailto:a@a.test"),
		"intent":                   web("intent://a.test#x"),
		"ws":                       web("ws://a.test/"),
		"own scheme with a user":   web("com.example.app://u:p@a/"),
		"second one bad":           web("https://a.test/", "http://b.test/"),
		"unknown scope":            {Name: "x", Type: identity.ClientDevice, Scopes: []string{"nonsense"}},
		"operator's scope":         {Name: "x", Type: identity.ClientDevice, Scopes: []string{"vault"}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			_, _, err := h.AddClient(t.Context(), n)
			wantErr(t, err, identity.ErrInvalid)
		})
	}
	t.Run("a change to no redirect", func(t *testing.T) {
		t.Parallel()
		c, _, err := h.AddClient(t.Context(), web("https://a.test/"))
		must(t, err)
		_, err = h.UpdateClient(t.Context(), c.ID, identity.ClientChange{RedirectURIs: &[]string{}})
		wantErr(t, err, identity.ErrInvalid)
	})
}

// TestChangesJudgeWhatTheyChange: an application that an earlier version kept without a redirect, or with one that may
// not be registered any more, can be renamed; its redirects are judged when they are changed.
func TestChangesJudgeWhatTheyChange(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	for _, stored := range []string{"", "http://old.test/"} {
		c, _, err := h.AddClient(t.Context(), identity.NewClient{
			Name: "x", Type: identity.ClientWeb, RedirectURIs: []string{"https://a.test/"},
		})
		must(t, err)
		must(t, h.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE identity_clients SET redirect_uris = $1 WHERE id = $2`, stored, c.ID)
			return err
		}))
		name, empty := "renamed", ""
		if got, err := h.UpdateClient(t.Context(), c.ID, identity.ClientChange{Name: &name}); err != nil || got.Name != name {
			t.Errorf("redirects %q: a new name: %q, %v", stored, got.Name, err)
		}
		_, err = h.UpdateClient(t.Context(), c.ID, identity.ClientChange{Name: &empty})
		wantErr(t, err, identity.ErrInvalid)
		_, err = h.UpdateClient(t.Context(), c.ID, identity.ClientChange{RedirectURIs: &[]string{stored}})
		wantErr(t, err, identity.ErrInvalid)
		good := identity.ClientChange{RedirectURIs: &[]string{"https://b.test/"}}
		if _, err = h.UpdateClient(t.Context(), c.ID, good); err != nil {
			t.Errorf("redirects %q: a good one in their place: %v", stored, err)
		}
	}
}

func TestRedirectsThatAreTaken(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	taken := []string{
		"https://a.test/cb", "https://a.test:8443/cb?x=1", "https://192.0.2.1/", "https://[2001:db8::1]:1/",
		"http://127.0.0.1:9999/callback", "http://127.9.9.9/", "http://[::1]:80/cb", "http://localhost/cb",
		"com.example.app:/back", "com.example.app://back/x", "/oauth2/success",
	}
	c, _, err := h.AddClient(t.Context(), identity.NewClient{Name: "x", Type: identity.ClientWeb, RedirectURIs: taken})
	must(t, err)
	for _, uri := range taken {
		if !c.HasRedirect(uri) || c.HasRedirect(uri+"/") {
			t.Errorf("HasRedirect(%q) = %v, with a slash more %v; want true, false",
				uri, c.HasRedirect(uri), c.HasRedirect(uri+"/"))
		}
	}
}

// TestBadRedirectsOfOldRows checks that an address which may not be registered
// any more is refused where it is used.
func TestBadRedirectsOfOldRows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		made, _, err := h.AddClient(t.Context(), identity.NewClient{
			Name: "x", Type: identity.ClientWeb, RedirectURIs: []string{"https://a.test/"},
		})
		must(t, err)
		bad := "http://a.test/"
		must(t, h.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE identity_clients SET redirect_uris = $1 WHERE id = $2`, bad, made.ID)
			return err
		}))
		c, err := h.Client(t.Context(), made.ID)
		must(t, err)
		if c.HasRedirect(bad) {
			t.Errorf("HasRedirect(%q) = true, want false", bad)
		}
	})
}
