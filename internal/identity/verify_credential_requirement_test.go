package identity_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// everyKind issues one credential of each kind for the service, with a scope.
func (h *fixture) everyKind(service string, scopes ...string) map[identity.Kind]string {
	h.t.Helper()
	u := h.user("ada")
	org, err := h.AddOrg(h.t.Context(), "crew", false)
	must(h.t, err)
	app, _, err := h.AddClient(h.t.Context(), identity.NewClient{Name: "app", Type: identity.ClientApp, OrgID: org.ID})
	must(h.t, err)
	secrets := map[identity.Kind]string{}
	for _, kind := range append(identity.TokenKinds(), identity.KindRefresh) {
		o := identity.IssueOptions{Kind: kind, Services: []string{service}, Scopes: scopes, UserID: u.ID}
		switch kind {
		case identity.KindInstallation:
			o.ClientID = app.ID
		case identity.KindProject, identity.KindWorkflow:
			o.Repo = "ada/notes"
		}
		_, secrets[kind] = h.token(o)
	}
	for _, kind := range []identity.Kind{identity.KindAPI, identity.KindApplication} {
		_, secrets[kind] = h.key(identity.KeyOptions{Service: service, Kind: kind, UserID: u.ID, Scopes: scopes})
	}
	return secrets
}

// TestEveryKindAtEveryRequirement checks that a credential enters where its
// service, its kind and one of its scopes are asked for, and nowhere else.
func TestEveryKindAtEveryRequirement(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	secrets := h.everyKind("labels", "storage.labels.readonly")
	_, every := h.key(identity.KeyOptions{Service: "labels", UserID: 1})
	all := append(identity.TokenKinds(), identity.KindRefresh, identity.KindAPI, identity.KindApplication)
	for _, row := range []struct {
		name string
		need identity.Requirement
		want func(identity.Kind) bool
	}{
		{"tokens", identity.Requirement{Service: "labels", Kinds: identity.TokenKinds()}, func(k identity.Kind) bool {
			return k != identity.KindRefresh && k != identity.KindAPI && k != identity.KindApplication
		}},
		{"every kind that there is", identity.Requirement{Service: "labels", Kinds: all}, func(k identity.Kind) bool {
			return k != identity.KindRefresh
		}},
		{
			"one kind", identity.Requirement{Service: "labels", Kinds: []identity.Kind{identity.KindPersonal}},
			func(k identity.Kind) bool { return k == identity.KindPersonal },
		},
		{"refresh tokens", identity.Requirement{Service: "labels", Kinds: []identity.Kind{identity.KindRefresh}}, none},
		{"no kinds", identity.Requirement{Service: "labels"}, none},
		{"no service", identity.Requirement{Kinds: all}, none},
		{"another service", identity.Requirement{Service: "articles", Kinds: all}, none},
		{"another scope", identity.Requirement{Service: "labels", Kinds: all, Scopes: []string{"storage.labels"}}, none},
		{
			"its scope",
			identity.Requirement{Service: "labels", Kinds: all, Scopes: []string{"storage.labels", "storage.labels.readonly"}},
			func(k identity.Kind) bool { return k != identity.KindRefresh },
		},
	} {
		for kind, secret := range secrets {
			c, err := h.Verify(t.Context(), secret, row.need)
			if want := row.want(kind); (err == nil) != want || (c != nil) != want {
				t.Errorf("%s: %s gives %v, %v; want it admitted: %v", row.name, kind, c, err, want)
			}
		}
	}
	var scope *route.ScopeError
	need := identity.Requirement{Service: "labels", Kinds: all, Scopes: []string{"storage.labels"}}
	if _, err := h.Verify(t.Context(), every, need); !errors.As(err, &scope) {
		t.Errorf("a key without a list where a scope must be listed: %v, want a ScopeError", err)
	}
	if _, err := h.Verify(t.Context(), secrets[identity.KindPersonal]); !errors.Is(err, identity.ErrUnknown) {
		t.Errorf("without any requirement: %v, want ErrUnknown", err)
	}
}

func none(identity.Kind) bool { return false }
