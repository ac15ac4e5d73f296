package grants_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a grant machine with the world around it.
type fixture struct {
	*identitytest.Server
	t   testing.TB
	ctx context.Context
}

// registerServices declares the service under test and two others.
func registerServices(_ *world.World, i *identity.Identity) module.Module {
	i.Register(module.Module{Name: "articles", Scopes: []module.Scope{{Name: "read_svc"}, {Name: "write_svc"}}})
	i.Register(module.Module{Name: "kms", Scopes: []module.Scope{{Name: "vault", Operator: true}}})
	return module.Module{Name: "labels", Scopes: []module.Scope{
		{Name: "storage.labels", Based: true}, {Name: "storage.labels.readonly", Based: true},
	}}
}

// onBoth runs fn with grants of its own on each database.
func onBoth(t *testing.T, fn func(t *testing.T, h *fixture)) {
	t.Helper()
	identitytest.Run(t, registerServices, func(t *testing.T, s *identitytest.Server) { fn(t, newFixture(t, s)) })
}

// onSQLite is for what is not about storage.
func onSQLite(t testing.TB) *fixture {
	t.Helper()
	return newFixture(t, identitytest.SQLite(t, registerServices))
}

func newFixture(t testing.TB, s *identitytest.Server) *fixture {
	return &fixture{Server: s, t: t, ctx: t.Context()}
}

// pair is an hour of access and a month of refresh.
func pair() grants.Issue {
	return grants.Issue{AccessTTL: time.Hour, RefreshTTL: 30 * 24 * time.Hour, Refresh: true, Rotate: true}
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
	c, _, err := h.Identity.AddClient(h.ctx, n)
	must(h.t, err)
	return c
}

func (h *fixture) device(client string) grants.DeviceStart {
	h.t.Helper()
	s, err := h.Grants.StartDevice(h.ctx, deviceRequest(client))
	must(h.t, err)
	return s
}

func deviceRequest(client string) grants.DeviceRequest {
	return grants.DeviceRequest{
		Service: "labels", ClientID: client, Scopes: []string{"storage.labels"},
		TTL: 30 * time.Minute, Interval: 5 * time.Second,
	}
}

// approved is a device flow that the user has approved.
func (h *fixture) approved(client string, user int64) grants.DeviceStart {
	h.t.Helper()
	s := h.device(client)
	_, err := h.Grants.Decide(h.ctx, s.Grant.ID, user, true)
	must(h.t, err)
	return s
}

func (h *fixture) poll(s grants.DeviceStart) (grants.Tokens, error) {
	return h.pollAs(s, "post")
}

func (h *fixture) pollAs(s grants.DeviceStart, style string) (grants.Tokens, error) {
	return h.Grants.PollDevice(h.ctx, grants.Poll{
		Service: "labels", ClientID: s.Grant.ClientID, Code: s.DeviceCode, Style: style,
	}, pair())
}

func (h *fixture) code(c identity.Client, user int64, proof string) string {
	h.t.Helper()
	code, err := h.Grants.IssueCode(h.ctx, grants.CodeRequest{
		Service: "labels", ClientID: c.ID, RedirectURI: "https://app.test/back", Scopes: []string{"storage.labels"},
		UserID: user, Challenge: proof, TTL: 10 * time.Minute,
	})
	must(h.t, err)
	return code
}

// redeemed are the tokens of a code that a user gave the client.
func (h *fixture) redeemed(c identity.Client, user int64) grants.Tokens {
	h.t.Helper()
	tokens, err := h.Grants.RedeemCode(h.ctx, grants.Redemption{
		Service: "labels", ClientID: c.ID, Code: h.code(c, user, ""),
	}, pair())
	must(h.t, err)
	return tokens
}

func (h *fixture) refresh(c identity.Client, secret string, scopes ...string) (grants.Tokens, error) {
	return h.Grants.Refresh(h.ctx, grants.RefreshRequest{
		Service: "labels", ClientID: c.ID, Secret: secret, Scopes: scopes,
	}, pair())
}

// refreshWith is refresh with other rules.
func (h *fixture) refreshWith(
	issue grants.Issue, c identity.Client, secret string, scopes ...string,
) (grants.Tokens, error) {
	return h.Grants.Refresh(h.ctx, grants.RefreshRequest{
		Service: "labels", ClientID: c.ID, Secret: secret, Scopes: scopes,
	}, issue)
}

func (h *fixture) verify(secret string) (*identity.Caller, error) {
	return h.Identity.Verify(h.ctx, secret, identity.Requirement{Service: "labels", Kinds: identity.TokenKinds()})
}

// resolves asks who the secret speaks for and compares the error.
func (h *fixture) resolves(secret string, want error) *identity.Caller {
	h.t.Helper()
	c, err := h.verify(secret)
	wantErr(h.t, err, want)
	return c
}

// exec changes a row as an older release might have left it.
func (h *fixture) exec(query string, args ...any) {
	h.t.Helper()
	must(h.t, h.World.DB.Write(h.ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("err = %v, want %v", err, want)
	}
}
