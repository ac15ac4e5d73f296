package identity_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/passwords"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seal"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(audit.Migrations(), identity.Migrations())

func TestMain(m *testing.M) { goleak.VerifyTestMain(databases.Main(m)) }

// epoch is when every test world begins, early in a day.
var epoch = time.Date(2030, 3, 1, 6, 0, 0, 0, time.UTC)

// fixture is an Identity with the clock it runs on.
type fixture struct {
	*identity.Identity
	t     testing.TB
	db    *database.DB
	clock *clock.Virtual
}

func cheapPasswords() passwords.Options {
	return passwords.Options{MemoryKiB: 64, Passes: 1, Threads: 1, Concurrent: 2, MinLength: 8}
}

func testScopes() map[string][]identity.Scope {
	return map[string][]identity.Scope{
		"labels": {
			{Name: "storage.labels", Based: true, Description: "manage labels"},
			{Name: "storage.labels.readonly", Based: true, Description: "see labels"},
		},
		"articles": {
			{Name: "read_svc", Description: "read"}, {Name: "write_svc", Description: "write"},
		},
		"kms":     {{Name: "vault", Description: "use the key", Operator: true}},
		"apikeys": nil, "snapshots": nil, "pipelines": nil, "events": nil, "analytics": nil,
	}
}

// testFormats are the formats of tokens of those services that declare one.
func testFormats() map[string]func(identity.Kind) identity.Format {
	hexadecimal := func(identity.Kind) identity.Format { return identity.Hex40() }
	return map[string]func(identity.Kind) identity.Format{
		"articles": hexadecimal, "pipelines": hexadecimal,
		"analytics": func(identity.Kind) identity.Format {
			return identity.Format{Alphabet: identity.Alphanumeric, Length: 40}
		},
		"events": func(kind identity.Kind) identity.Format {
			return identity.Format{Prefix: string(kind) + "_", Alphabet: identity.Alphanumeric, Length: 36}
		},
	}
}

// box seals under a root key of the test's own.
func box(t testing.TB) *seal.Box {
	t.Helper()
	b, err := seal.Open(t.TempDir(), "", ids.Random())
	must(t, err)
	return b
}

// build opens an Identity on db; several may share one database and clock.
func build(t testing.TB, db *database.DB, c *clock.Virtual, change ...func(*identity.Options)) *fixture {
	t.Helper()
	o := identity.Options{
		DB: db, Clock: c, IDs: ids.Random(), Passwords: cheapPasswords(), Seal: box(t),
		ScopeBase: func(context.Context) string { return "http://stoa.test" },
	}
	for _, f := range change {
		f(&o)
	}
	i := identity.New(o)
	for service, scopes := range testScopes() {
		i.Register(module.Module{Name: service, Scopes: scopes, TokenFormat: testFormats()[service]})
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
	})
	return &fixture{Identity: i, t: t, db: db, clock: c}
}

// onBoth runs fn with an Identity of its own on each database.
func onBoth(t *testing.T, fn func(t *testing.T, h *fixture)) {
	t.Helper()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		fn(t, build(t, db, clock.NewVirtual(epoch)))
	})
}

// onSQLite gives an Identity on the embedded database, for what is not about
// storage.
func onSQLite(t testing.TB, change ...func(*identity.Options)) *fixture {
	t.Helper()
	return build(t, databasetest.SQLite(t, audit.Migrations(), identity.Migrations()), clock.NewVirtual(epoch), change...)
}

func (h *fixture) user(name string) identity.User {
	h.t.Helper()
	u, err := h.AddUser(h.t.Context(), identity.NewUser{Name: name})
	must(h.t, err)
	return u
}

func (h *fixture) token(o identity.IssueOptions) (identity.Token, string) {
	h.t.Helper()
	if o.Kind == "" {
		o.Kind = identity.KindPersonal
	}
	if o.Services == nil {
		o.Services = []string{"labels"}
	}
	t, secret, err := h.IssueToken(h.t.Context(), o)
	must(h.t, err)
	return t, secret
}

// webClient is the smallest application of the web.
func webClient() identity.NewClient {
	return identity.NewClient{Name: "web", Type: identity.ClientWeb, RedirectURIs: []string{"https://a.test/"}}
}

func (h *fixture) client(kind identity.ClientType, scopes ...string) identity.Client {
	h.t.Helper()
	c, _, err := h.AddClient(h.t.Context(), identity.NewClient{Name: "app", Type: kind, Scopes: scopes})
	must(h.t, err)
	return c
}

func (h *fixture) key(o identity.KeyOptions) (identity.Key, string) {
	h.t.Helper()
	if o.Service == "" {
		o.Service = "apikeys"
	}
	k, secret, err := h.IssueKey(h.t.Context(), o)
	must(h.t, err)
	return k, secret
}

// resolves asks who the secret speaks for and compares the error.
func (h *fixture) resolves(service, secret string, want error) *identity.Caller {
	h.t.Helper()
	c, err := h.Resolve(h.t.Context(), service, secret)
	if !errors.Is(err, want) {
		h.t.Fatalf("Resolve = %v, want %v", err, want)
	}
	return c
}

// failer is what testing.TB and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t failer, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("err = %v, want %v", err, want)
	}
}

func TestCloseEndsTheFlushAndWritesTheRest(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, audit.Migrations(), identity.Migrations())
	c := clock.NewVirtual(epoch)
	first := identity.New(identity.Options{DB: db, Clock: c, IDs: ids.Random(), Passwords: cheapPasswords()})
	u, err := first.AddUser(t.Context(), identity.NewUser{Name: "ada"})
	must(t, err)
	tok, secret, err := first.IssueToken(t.Context(), identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{"labels"}, UserID: u.ID,
	})
	must(t, err)
	_, err = first.Resolve(t.Context(), "labels", secret)
	must(t, err)
	must(t, first.Close())
	must(t, first.Close())

	second := build(t, db, c)
	got, err := second.Token(t.Context(), tok.ID)
	must(t, err)
	if !got.LastUsedAt.Equal(epoch) {
		t.Errorf("last use after Close = %v, want %v", got.LastUsedAt, epoch)
	}
}

func TestTwoIdentitiesShareNothing(t *testing.T) {
	t.Parallel()
	one, two := onSQLite(t), onSQLite(t)
	u := one.user("ada")
	_, secret := one.token(identity.IssueOptions{UserID: u.ID})
	one.resolves("labels", secret, nil)
	two.resolves("labels", secret, identity.ErrUnknown)
	_, err := two.UserByName(context.Background(), "ada")
	wantErr(t, err, identity.ErrNotFound)
}
