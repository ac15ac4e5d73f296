// Package identitytest gives the tests of services people to call them.
//
// It builds an Identity on a test's world and makes users, tokens and keys in
// one line each. Passwords cost next to nothing here. It is for tests only.
package identitytest

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/world"
)

// New is an Identity on the world, closed when the test ends. The world's
// database must have identity.Migrations applied before the first use.
func New(t testing.TB, w *world.World) *identity.Identity {
	t.Helper()
	o := identity.OptionsFor(w)
	o.Passwords = identity.Passwords{MemoryKiB: 64, Passes: 1, Threads: 1, Concurrent: 2, MinLength: 8}
	people := identity.New(o)
	t.Cleanup(func() {
		if err := people.Close(); err != nil {
			t.Errorf("identity: Close: %v", err)
		}
	})
	return people
}

// User makes a user of the name, or finds the one there is.
func User(t testing.TB, people *identity.Identity, name string) identity.User {
	t.Helper()
	if u, err := people.UserByName(t.Context(), name); err == nil {
		return u
	}
	u, err := people.AddUser(t.Context(), identity.NewUser{Name: name})
	if err != nil {
		t.Fatalf("identity: add user %s: %v", name, err)
	}
	return u
}

// Token is the secret of a personal token of the user for the service with
// exactly these scopes.
func Token(t testing.TB, people *identity.Identity, user, service string, scopes ...string) string {
	t.Helper()
	return Issue(t, people, identity.IssueOptions{
		Kind: identity.KindPersonal, UserID: User(t, people, user).ID, Services: []string{service}, Scopes: scopes,
	})
}

// Issue is the secret of any other token.
func Issue(t testing.TB, people *identity.Identity, o identity.IssueOptions) string {
	t.Helper()
	_, secret, err := people.IssueToken(t.Context(), o)
	if err != nil {
		t.Fatalf("identity: issue token: %v", err)
	}
	return secret
}

// Key is the secret of an API key of the user that never expires.
func Key(t testing.TB, people *identity.Identity, user, service string) string {
	t.Helper()
	_, secret, err := people.IssueKey(t.Context(), identity.KeyOptions{Service: service, UserID: User(t, people, user).ID})
	if err != nil {
		t.Fatalf("identity: issue key: %v", err)
	}
	return secret
}
