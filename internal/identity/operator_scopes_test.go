package identity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// exec changes a row behind identity's back, as an older release might have
// left it.
func (h *fixture) exec(query string, args ...any) {
	h.t.Helper()
	must(h.t, h.db.Write(h.t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(h.t.Context(), query, args...)
		return err
	}))
}

// TestOperatorScopesAreTheCommandLines tries every scope that only the operator
// gives at every other way to a credential.
func TestOperatorScopesAreTheCommandLines(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		device, web := h.client(identity.ClientDevice), h.client(identity.ClientWeb)
		trusting := h.client(identity.ClientDevice)
		for _, s := range h.AllScopes(identity.AllServices) {
			if !s.Operator {
				continue
			}
			// A row of an older release that lists the scope.
			h.exec(`UPDATE identity_clients SET scopes = $1 WHERE id = $2`, s.Name, trusting.ID)
			ways := map[string]func(scopes, services []string) error{}
			for _, kind := range append(identity.TokenKinds(), identity.KindRefresh) {
				ways["token of kind "+string(kind)] = func(scopes, services []string) error {
					_, _, err := h.IssueToken(ctx, identity.IssueOptions{
						Kind: kind, Services: services, Scopes: scopes, UserID: ada.ID, ClientID: device.ID, Repo: "ada/x",
					})
					return err
				}
			}
			for _, kind := range []identity.Kind{identity.KindAPI, identity.KindApplication} {
				ways["key of kind "+string(kind)] = func(scopes, _ []string) error {
					_, _, err := h.IssueKey(ctx, identity.KeyOptions{Kind: kind, Service: "kms", Scopes: scopes, UserID: ada.ID})
					return err
				}
			}
			for name, client := range map[string]string{"a client": device.ID, "a client that lists it": trusting.ID, "no client": ""} {
				ways["device code for "+name] = func(scopes, services []string) error {
					_, err := h.StartDevice(ctx, identity.DeviceRequest{Service: services[0], ClientID: client, Scopes: scopes, TTL: time.Hour})
					return err
				}
			}
			ways["code"] = func(scopes, services []string) error {
				_, _, err := h.GrantCode(ctx, identity.CodeRequest{Service: services[0], ClientID: web.ID, Scopes: scopes, UserID: ada.ID, TTL: time.Hour})
				return err
			}
			ways["registration"] = func(scopes, _ []string) error {
				_, _, err := h.AddClient(ctx, identity.NewClient{Name: "x", Type: identity.ClientDevice, Scopes: scopes})
				return err
			}
			for name, way := range ways {
				for _, services := range [][]string{{"kms"}, {identity.AllServices}, {"kms", "labels"}} {
					for _, scopes := range [][]string{{s.Name}, {"storage.labels", s.Name}} {
						if err := way(scopes, services); err == nil {
							t.Errorf("%s for %v with %v: given, want it refused", name, services, scopes)
						}
					}
				}
			}
		}
	})
}

// TestOperatorScopesOfOldRows checks that what an older release may have written
// opens nothing and becomes nothing.
func TestOperatorScopesOfOldRows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, c := h.user("ada"), h.client(identity.ClientDevice)
		kms := identity.Requirement{Service: "kms", Kinds: identity.TokenKinds(), Scopes: []string{"vault"}}

		// Issued by the operator it counts; the same row without the mark does not.
		token, secret := h.token(identity.IssueOptions{UserID: ada.ID, Services: []string{"kms"}, Scopes: []string{"vault"}, Operator: true})
		_, err := h.Verify(ctx, secret, kms)
		must(t, err)
		h.exec(`UPDATE identity_credentials SET operator = FALSE WHERE id = $1`, token.ID)
		must(t, h.DisableUser(ctx, ada.ID, false)) // makes the cache forget
		if _, err := h.Verify(ctx, secret, kms); err == nil {
			t.Error("a token that the operator did not issue holds the operator's scope")
		}

		// A key without a list holds every scope but the operator's.
		_, key := h.key(identity.KeyOptions{Service: "labels", UserID: ada.ID})
		if caller := h.resolves("labels", key, nil); caller.HasScope("vault") || !caller.HasScope("storage.labels") {
			t.Errorf("a key without a list: vault %v, labels %v; want false, true", caller.HasScope("vault"), caller.HasScope("storage.labels"))
		}

		// A pending grant and a refresh token that ask for it become no tokens.
		s := h.device(c.ID)
		_, err = h.Decide(ctx, s.Grant.ID, ada.ID, true)
		must(t, err)
		h.exec(`UPDATE identity_grants SET scopes = 'storage.labels vault' WHERE id = $1`, s.Grant.ID)
		_, err = h.poll(s)
		wantErr(t, err, identity.ErrInvalid)

		s = h.device(c.ID)
		_, err = h.Decide(ctx, s.Grant.ID, ada.ID, true)
		must(t, err)
		tokens, err := h.poll(s)
		must(t, err)
		h.exec(`UPDATE identity_credentials SET scopes = 'storage.labels vault', services = 'labels kms' WHERE family = $1`, tokens.Token.Family)
		for _, narrowed := range [][]string{nil, {"vault"}} {
			_, err = h.RefreshTokens(ctx, identity.RefreshRequest{Service: "labels", ClientID: c.ID, Secret: tokens.Refresh, Scopes: narrowed}, pair())
			wantErr(t, err, identity.ErrInvalid)
		}
	})
}

// TestScopesThatClientsAskFor holds the list of a registration.
func TestScopesThatClientsAskFor(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ada := h.user("ada")
	listed := func(scopes ...string) func(*identity.NewClient) {
		return func(n *identity.NewClient) { n.Scopes = scopes }
	}
	for _, row := range []struct {
		name    string
		listed  []string
		service string
		asked   []string
		want    bool
	}{
		{"none listed, of the flow's service", nil, "labels", []string{"storage.labels"}, true},
		{"none listed, of another service", nil, "labels", []string{"read_svc"}, false},
		{"none listed, one of each", nil, "labels", []string{"storage.labels", "read_svc"}, false},
		{"listed", []string{"read_svc"}, "labels", []string{"read_svc"}, true},
		{"listed in full", []string{"http://stoa.test/auth/storage.labels"}, "labels", []string{"storage.labels"}, true},
		{"not listed, of the flow's service", []string{"read_svc"}, "labels", []string{"storage.labels"}, false},
		{"one that is not listed", []string{"read_svc"}, "labels", []string{"read_svc", "write_svc"}, false},
		{"nothing", nil, "labels", nil, true},
	} {
		device, web := h.client(identity.ClientDevice, listed(row.listed...)), h.client(identity.ClientWeb, listed(row.listed...))
		_, started := h.StartDevice(t.Context(), identity.DeviceRequest{
			Service: row.service, ClientID: device.ID, Scopes: row.asked, TTL: time.Hour, Interval: time.Second,
		})
		_, _, coded := h.GrantCode(t.Context(), identity.CodeRequest{
			Service: row.service, ClientID: web.ID, Scopes: row.asked, UserID: ada.ID, TTL: time.Hour,
		})
		if asked := h.CheckAsked(web, row.service, row.asked); (asked == nil) != row.want || (started == nil) != row.want || (coded == nil) != row.want {
			t.Errorf("%s: CheckAsked %v, StartDevice %v, GrantCode %v; want allowed: %v", row.name, asked, started, coded, row.want)
		}
	}
	if c := h.client(identity.ClientDevice, listed("read_svc", "read_svc")); !slices.Equal(c.Scopes, []string{"read_svc"}) {
		t.Errorf("scopes = %v, want the one", c.Scopes)
	}
}

// TestDefaultScopesOfTheCommand checks that "*" does not include what only the
// operator gives, and that the service's own name does.
func TestDefaultScopesOfTheCommand(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	h.user("ada")
	for service, want := range map[string]bool{identity.AllServices: false, "kms": true, "labels": false} {
		made := h.mustRun("token issue", values{"user": {"ada"}, "service": {service}})
		if scopes := fmt.Sprint(made["scopes"]); strings.Contains(scopes, "vault") != want {
			t.Errorf("token issue --service %s: scopes %s, want the operator's scope: %v", service, scopes, want)
		}
	}
	made := h.mustRun("token issue", values{"user": {"ada"}, "service": {"*"}, "scope": {"vault"}})
	if scopes := fmt.Sprint(made["scopes"]); scopes != "[vault]" {
		t.Errorf("token issue --service * --scope vault: scopes %s, want [vault]", scopes)
	}
	if _, err := h.run("key issue", values{"user": {"ada"}, "service": {"kms"}}); err == nil {
		t.Error("key issue --service kms: issued, want it refused: keys list no scopes")
	}
	if _, err := h.run("client add", values{"name": {"x"}, "type": {"device"}, "scope": {"vault"}}); err == nil {
		t.Error("client add --scope vault: added, want it refused: no application may ask for it")
	}
}
