package access_test

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// open makes rules about a forge with one private repository ada/secret.
func open(t *testing.T) (*identitytest.Server, *access.Rules, forge.Repository) {
	t.Helper()
	var rules *access.Rules
	h := identitytest.Open(t, func(w *world.World, idents *identity.Identity) module.Module {
		repositories := forge.New(w, idents, forge.DefaultConfig())
		m := repositories.Module()
		rules = access.New(access.Options{
			Identity: idents, Forge: repositories, OrgScope: "orgs",
			Bot: func(_ context.Context, name string) (identity.User, error) {
				if name != "workflow[bot]" {
					return identity.User{}, identity.ErrNotFound
				}
				return identity.User{Name: name}, nil
			},
			ShownInEvents: func(context.Context, int64) (bool, error) { return false, nil },
		})
		return m
	}, "")
	ada := h.User("ada")
	r, err := rules.Forge.Create(t.Context(), forge.NewRepository{
		Owner: "ada", Name: "secret", Private: true, Actor: forge.Actor{ID: ada.ID, Name: ada.Name},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, rules, r
}

func caller(h *identitytest.Server, name string, kind identity.Kind, scopes identity.Scopes) *identity.Caller {
	u := h.User(name)
	return &identity.Caller{Kind: kind, UserID: u.ID, UserName: u.Name, Scopes: scopes}
}

func code(err error) refusal.Code {
	var refused *refusal.Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// TestRules: what is hidden is not found by name, by number and as what a fork comes from.
func TestRules(t *testing.T) {
	t.Parallel()
	h, rules, secret := open(t)
	ctx, every := t.Context(), identity.EveryScope()
	for name, row := range map[string]struct {
		caller *identity.Caller
		want   refusal.Code
	}{
		"no caller":      {nil, refusal.CodeNotFound},
		"another user":   {caller(h, "zeno", identity.KindPersonal, every), refusal.CodeNotFound},
		"the owner":      {caller(h, "ada", identity.KindPersonal, every), ""},
		"without scopes": {caller(h, "ada", identity.KindPersonal, identity.Scopes{}), refusal.CodeForbidden},
	} {
		_, _, _, byName := rules.Find(ctx, row.caller, "ada", "secret")
		_, _, byNumber := rules.Repository(ctx, row.caller, secret.ID)
		_, _, seen, err := rules.Ancestor(ctx, row.caller, secret.ID)
		if code(byName) != row.want || code(byNumber) != row.want || seen != (row.want == "") || err != nil {
			t.Errorf("%s: %v, %v, %t, %v; want %q", name, byName, byNumber, seen, err, row.want)
		}
	}
	bound := caller(h, "ada", identity.KindWorkflow, every)
	ada, poor := caller(h, "ada", identity.KindPersonal, every), caller(h, "ada", identity.KindPersonal, identity.Scopes{})
	for name, row := range map[string]struct {
		caller *identity.Caller
		org    string
		want   refusal.Code
	}{
		"a token of one repository":   {bound, "", refusal.CodeForbidden},
		"without the scope":           {poor, "", refusal.CodeForbidden},
		"an organization that is not": {ada, "no", refusal.CodeNotFound},
		"a name that is taken":        {ada, "", refusal.CodeInvalid},
	} {
		if _, err := rules.Create(ctx, row.caller, row.org, forge.NewRepository{Name: "secret"}); code(err) != row.want {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	if _, err := rules.Account(ctx, nil, "ada"); code(err) != refusal.CodeNotFound {
		t.Errorf("an account that shows nowhere: %v", err)
	}
	if a, err := rules.Account(ctx, bound, "ada"); err != nil || a.Name() != "ada" || a.ID() != h.User("ada").ID {
		t.Errorf("a known caller sees %+v, %v", a, err)
	}
	if _, err := rules.Account(ctx, nil, "other[bot]"); code(err) != refusal.CodeNotFound {
		t.Errorf("a bot of no application: %v", err)
	}
	if a, err := rules.Account(ctx, nil, "workflow[bot]"); err != nil || a.Kind != access.App {
		t.Errorf("a bot is %+v, %v", a, err)
	}
}
