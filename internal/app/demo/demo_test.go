package demo

import (
	"maps"
	"os"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// Services that name the same variable share one credential, with the scopes of
// all of them.
func TestCredentialsAreShared(t *testing.T) {
	t.Parallel()
	got := credentials([]module.Module{
		{Name: "a", Scopes: []module.Scope{{Name: "a.read"}}, DemoCredentials: identity.DemoTokens()},
		{Name: "b", DemoCredentials: []module.DemoCredential{{Variable: "STOA_KEY", Kind: identity.KindAPI}}},
		{Name: "c", Scopes: []module.Scope{{Name: "c.read"}}, DemoCredentials: identity.DemoTokens()},
		{Name: "without"},
	})
	if len(got) != 3 {
		t.Fatalf("%d credentials, want 3: %+v", len(got), got)
	}
	token, guest, key := got[0], got[1], got[2]
	if token.Variable != "STOA_TOKEN" || !slices.Equal(token.services, []string{"a", "c"}) ||
		!slices.Equal(token.scopes, []string{"a.read", "c.read"}) || token.Guest {
		t.Errorf("the token is %+v", token)
	}
	if guest.Variable != "STOA_GUEST_TOKEN" || !guest.Guest || len(guest.services) != 2 {
		t.Errorf("the guest's token is %+v", guest)
	}
	if key.Kind != identity.KindAPI || !slices.Equal(key.services, []string{"b"}) || len(key.requirements()) != 1 {
		t.Errorf("the key is %+v", key)
	}
}

func TestEnvIsReadBack(t *testing.T) {
	t.Parallel()
	w := &World{Dir: t.TempDir()}
	want := map[string]string{"STOA_USER": "ada", "STOA_EMPTY": "", "STOA_URL": "http://127.0.0.1:8080/?a=b",
		"STOA_CA_FILE": "/home/o'brien/it's data'/ca.pem'", "STOA_PASSWORD": `'$(exit 1)\''`}
	if err := WriteEnv(w.Dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadEnv(w.Dir)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("read %v, %v; want %v", got, err, want)
	}
	if info, err := os.Stat(w.path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("demo.env: %v, %v; want mode 600", info, err)
	}
}
