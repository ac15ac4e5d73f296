package identity_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stoa.dev/stoa/internal/identity"
)

func TestClients(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		ada := h.user("ada")
		made, secret, err := h.AddClient(ctx, identity.NewClient{
			Name: "Reader", Type: identity.ClientWeb, OwnerID: ada.ID, RedirectURIs: []string{"https://a.test/cb", "/oauth2/success"},
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
		wantErr(t, h.DeleteClient(ctx, made.ID), identity.ErrNotFound)
	})
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		c, _, err := h.AddClient(ctx, identity.NewClient{Name: "Robot", Type: identity.ClientService})
		must(t, err)
		_, secret := h.token(identity.IssueOptions{Kind: identity.KindAccess, ClientID: c.ID})
		caller := h.resolves("labels", secret, nil)
		if !caller.ServiceAccount || caller.UserID != c.PrincipalID || caller.UserID == 0 || caller.ClientID != c.ID {
			t.Errorf("caller = %+v, want the principal %d of the client", caller, c.PrincipalID)
		}
		if n, err := h.CountUsers(ctx); err != nil || n != 0 {
			t.Errorf("CountUsers = %d, %v, want 0: a service account is nobody's person", n, err)
		}
		principal, err := h.User(ctx, c.PrincipalID)
		must(t, err)
		_, err = h.CheckPassword(ctx, principal.Name, "")
		wantErr(t, err, identity.ErrBadPassword)
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
		"no name":          {Type: identity.ClientWeb},
		"no type":          {Name: "x"},
		"internal to none": {Name: "x", Type: identity.ClientWeb, Internal: true},
		"fragment":         web("https://a.test/#x"),
		"empty fragment":   web("https://a.test/#"),
		"relative":         web("cb"),
		"no host":          web("https:///cb"),
		"user in host":     web("https://u@a.test/"),
		"script":           web("JavaScript:alert(1)"),
		"line break":       web("https://a.test/\nx"),
		"other host":       web("//a.test/cb"),
		"backslash":        web(`/\a.test`),
		"three slashes":    web("///a.test/cb"),
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			_, _, err := h.AddClient(t.Context(), n)
			wantErr(t, err, identity.ErrInvalid)
		})
	}
}
