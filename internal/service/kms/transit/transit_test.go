package transit_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/kms/provider"
	"stoa.dev/stoa/internal/service/kms/transit"
	"stoa.dev/stoa/internal/service/kms/transit/transittest"
)

func config(server *transittest.Server) transit.Config {
	c := transit.DefaultConfig()
	c.Address, c.Key, c.Token = server.URL, transittest.KeyName, transittest.Token
	return c
}

func open(t *testing.T, c transit.Config, now clock.Clock) *transit.Transit {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	p, err := transit.New(c, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func frozen() *clock.Virtual { return clock.NewVirtual(time.Unix(1_700_000_000, 0)) }

func TestWrap(t *testing.T) {
	t.Parallel()
	server := transittest.Start(t)
	p := open(t, config(server), frozen())
	secret, binding := bytes.Repeat([]byte{7}, 32), []byte("id")
	wrapped, err := p.Wrap(t.Context(), "1", secret, binding)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	versions, err := p.Versions(t.Context())
	if err != nil || len(versions) != 2 || versions[1].Name != "2" || versions[0].Stamp == versions[1].Stamp {
		t.Fatalf("Versions = %v, %v; want 1 and 2", versions, err)
	}
	got, err := p.Unwrap(t.Context(), "1", wrapped, binding)
	if err != nil || !bytes.Equal(got, secret) {
		t.Errorf("Unwrap = %x, %v; want the secret", got, err)
	}
	for name, row := range map[string]struct {
		version string
		wrapped []byte
		binding string
		want    provider.Kind
	}{
		"another version":  {"2", wrapped, "id", provider.Refused},
		"another binding":  {"1", wrapped, "other", provider.Refused},
		"altered":          {"1", append(bytes.Clone(wrapped[:20]), wrapped[21:]...), "id", provider.Refused},
		"not ours":         {"1", []byte("nonsense"), "id", provider.Refused},
		"empty":            {"1", nil, "id", provider.Refused},
		"a longer version": {"1", append([]byte("vault:v11:"), wrapped[9:]...), "id", provider.Refused},
	} {
		_, err := p.Unwrap(t.Context(), row.version, row.wrapped, []byte(row.binding))
		if provider.KindOf(err) != row.want {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	server.Oldest(2)
	if _, err := p.Unwrap(t.Context(), "1", wrapped, binding); provider.KindOf(err) != provider.Disabled {
		t.Errorf("a version below the oldest: %v, want disabled", err)
	}
	if versions, err := p.Versions(t.Context()); err != nil || len(versions) != 1 {
		t.Errorf("Versions = %v, %v; want 2 alone", versions, err)
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	server := transittest.Start(t)
	server.LeaseSeconds = 90
	now := frozen()
	c := config(server)
	c.Token, c.RoleID, c.SecretID = "", transittest.RoleID, transittest.SecretID
	p := open(t, c, now)
	call := func() {
		t.Helper()
		if _, err := p.Versions(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, logins, renewals int) {
		t.Helper()
		if l, r := server.Calls("POST auth/approle/login"), server.Calls("POST auth/token/renew-self"); l != logins ||
			r != renewals {
			t.Errorf("%s: %d logins and %d renewals, want %d and %d", what, l, r, logins, renewals)
		}
	}
	call()
	call()
	check("two calls", 1, 0)
	now.Advance(59 * time.Second)
	call()
	check("before two thirds", 1, 0)
	now.Advance(2 * time.Second)
	call()
	check("after two thirds", 1, 1)
	server.Revoke()
	call()
	check("revoked", 2, 1)
	c.SecretID = "wrong"
	if _, err := open(t, c, now).Versions(t.Context()); provider.KindOf(err) != provider.Unauthenticated ||
		strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong secret: %v, want unauthenticated", err)
	}
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	server := transittest.Start(t)
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := config(server)
	c.Token, c.TokenFile = "", file
	p := open(t, c, frozen())
	if _, err := p.Versions(t.Context()); provider.KindOf(err) != provider.Unauthenticated {
		t.Errorf("no file: %v, want unauthenticated", err)
	}
	write("stale")
	if _, err := p.Versions(t.Context()); provider.KindOf(err) != provider.Denied {
		t.Errorf("a stale token: %v, want denied", err)
	}
	write(transittest.Token)
	if _, err := p.Versions(t.Context()); err != nil {
		t.Errorf("a fresh token: %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := transittest.Start(t)
	c := config(server)
	c.Address = "http://127.0.0.1:1"
	_, err := open(t, c, frozen()).Versions(t.Context())
	if provider.KindOf(err) != provider.Unavailable || strings.Contains(err.Error(), transittest.Token) {
		t.Errorf("%v, want unavailable", err)
	}
	server.Fail(http.StatusBadGateway)
	if _, err := open(t, config(server), frozen()).Versions(t.Context()); provider.KindOf(err) != provider.Unavailable {
		t.Errorf("%v, want unavailable", err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := transit.Config{
		Address: "https://vault.example:8200", Mount: "transit", AuthMount: "approle", Key: "k", Token: "t",
	}
	for name, row := range map[string]struct {
		change func(*transit.Config)
		want   string
	}{
		"good":       {func(*transit.Config) {}, ""},
		"loopback":   {func(c *transit.Config) { c.Address = "http://127.0.0.1:8200" }, ""},
		"plain":      {func(c *transit.Config) { c.Address = "http://vault.example:8200" }, "use https"},
		"no address": {func(c *transit.Config) { c.Address = "" }, "is not an address"},
		"credential in it": {
			func(c *transit.Config) { c.Address = "https://a:b@vault.example" }, "is not an address",
		},
		"no key":             {func(c *transit.Config) { c.Key = "" }, "kms.transit.key"},
		"climbing":           {func(c *transit.Config) { c.Key = "../sys/seal" }, "kms.transit.key"},
		"no credential":      {func(c *transit.Config) { c.Token = "" }, "exactly one"},
		"two credentials":    {func(c *transit.Config) { c.RoleID, c.SecretID = "r", "s" }, "exactly one"},
		"role and no secret": {func(c *transit.Config) { c.Token, c.RoleID = "", "r" }, "secret_id"},
	} {
		c := good
		row.change(&c)
		err := c.Validate()
		if (row.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
