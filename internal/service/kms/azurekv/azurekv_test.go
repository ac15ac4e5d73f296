//go:build !small

package azurekv_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/azurekv"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	keyName = "cluster"
	token   = "eyJ0.token-of-the-test"
	secret  = "the client secret of the test"
)

// vault is a strict stand-in with true RSA-OAEP-256.
type vault struct {
	t           *testing.T
	url, client string

	mu     sync.Mutex
	keys   []*rsa.PrivateKey
	fail   int
	reason string
	logins int
	// life is how long a token is valid, in seconds.
	life int
	// hang keeps logins waiting until it is closed.
	hang chan struct{}
	// next is where the link to the next page leads; empty means here.
	next string
}

func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if v.hang != nil && strings.Contains(r.URL.Path, "oauth2") {
		<-v.hang
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/tenant/v2.0/.well-known/openid-configuration":
		login := strings.Replace(v.url, "http://", "https://", 1) + "/tenant"
		answer(w, map[string]string{
			"issuer": login + "/v2.0", "authorization_endpoint": login + "/oauth2/v2.0/authorize",
			"token_endpoint": login + "/oauth2/v2.0/token",
		})
		return
	case "/tenant/oauth2/v2.0/token":
		v.login(w, r)
		return
	case "/metadata/identity/oauth2/token":
		if r.Header.Get("Metadata") != "true" || r.URL.Query().Get("resource") != "https://vault.azure.net" ||
			r.URL.Query().Get("client_id") != v.client {
			v.t.Errorf("identity request: %v", r.URL)
		}
		v.logins++
		answer(w, map[string]string{"access_token": token, "expires_in": fmt.Sprint(v.life)})
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+token || r.URL.Query().Get("api-version") != "7.4" {
		v.t.Errorf("request: %v %v", r.URL, r.Header)
	}
	if v.fail != 0 {
		w.WriteHeader(v.fail)
		answer(w, map[string]any{"error": map[string]string{"code": v.reason, "message": "as the test wants"}})
		return
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/keys/"+keyName+"/"); r.Method + " " + path {
	case "GET versions":
		v.list(w, r)
	case "POST rotate":
		v.rotate()
		answer(w, map[string]any{})
	default:
		v.operate(w, r, path)
	}
}

func (v *vault) login(w http.ResponseWriter, r *http.Request) {
	form := func(name, want string) bool { return r.PostFormValue(name) == want }
	if !form("client_id", "app") || !form("client_secret", secret) || !form("grant_type", "client_credentials") ||
		!strings.Contains(r.PostFormValue("scope"), "https://vault.azure.net/.default") {
		w.WriteHeader(http.StatusUnauthorized)
		answer(w, map[string]string{"error": "invalid_client"})
		return
	}
	v.logins++
	answer(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": v.life})
}

func (v *vault) rotate() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		v.t.Fatal(err)
	}
	v.keys = append(v.keys, key)
}

func (v *vault) id(n int) string { return fmt.Sprintf("%s/keys/%s/version%d", v.url, keyName, n+1) }

// list gives the newest first, one a page.
func (v *vault) list(w http.ResponseWriter, r *http.Request) {
	n := len(v.keys) - 1
	if page := r.URL.Query().Get("page"); page != "" {
		_, _ = fmt.Sscan(page, &n)
	}
	out := map[string]any{"value": []any{map[string]any{
		"kid": v.id(n), "attributes": map[string]any{"enabled": true, "created": 1_700_000_000 + n},
	}}}
	if n > 0 {
		out["nextLink"] = fmt.Sprintf("%s/keys/%s/versions?api-version=7.4&page=%d", cmp.Or(v.next, v.url), keyName,
			n-1)
	}
	answer(w, out)
}

func (v *vault) operate(w http.ResponseWriter, r *http.Request, path string) {
	var n int
	var operation string
	if _, err := fmt.Sscanf(path, "version%d/%s", &n, &operation); err != nil || n < 1 || n > len(v.keys) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	var in struct{ Alg, Value string }
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.Alg != "RSA-OAEP-256" {
		v.t.Errorf("%s: %+v, %v", path, in, err)
	}
	value, err := base64.RawURLEncoding.DecodeString(in.Value)
	if err != nil {
		v.t.Errorf("value: %v", err)
	}
	if operation == "wrapkey" {
		value, err = rsa.EncryptOAEP(sha256.New(), rand.Reader, &v.keys[n-1].PublicKey, value, nil)
	} else {
		value, err = rsa.DecryptOAEP(sha256.New(), nil, v.keys[n-1], value, nil)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]any{"error": map[string]string{"code": "BadParameter", "message": "decryption failed"}})
		return
	}
	answer(w, map[string]string{"kid": v.id(n - 1), "value": base64.RawURLEncoding.EncodeToString(value)})
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

// start makes a vault and a key of it. Each has a client id of its own, because
// the tokens of managed identities are cached for the whole process.
func start(t *testing.T, change func(*azurekv.Config)) (*vault, *azurekv.Key) {
	t.Helper()
	v := &vault{t: t, life: 3600, client: rand.Text()}
	v.rotate()
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	v.url = server.URL
	c := azurekv.Config{Vault: server.URL, Key: keyName, Login: server.URL, Identity: server.URL, ClientID: v.client}
	if change != nil {
		change(&c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	k, err := azurekv.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return v, k
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	v, k := start(t, nil)
	first, err := k.Versions(t.Context())
	if err != nil || len(first) != 1 || first[0].Name != "version1" {
		t.Fatalf("Versions = %v, %v", first, err)
	}
	data := bytes.Repeat([]byte{7}, 32)
	wrapped, err := k.Wrap(t.Context(), "version1", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Unwrap(t.Context(), "version1", wrapped, nil); err != nil || !bytes.Equal(got, data) {
		t.Errorf("Unwrap = %x, %v", got, err)
	}
	if _, err := k.Unwrap(t.Context(), "version2", wrapped, nil); provider.KindOf(err) != provider.Refused {
		t.Errorf("another version: %v, want refused", err)
	}
	if _, err := k.Unwrap(t.Context(), "../x", wrapped, nil); provider.KindOf(err) != provider.Disabled {
		t.Errorf("a climbing version: %v, want disabled", err)
	}
	versions, err := k.Versions(t.Context())
	if err != nil || len(versions) != 2 || versions[1].Name != "version2" {
		t.Errorf("Versions = %v, %v; want the youngest last", versions, err)
	}
	if v.logins != 1 {
		t.Errorf("%d tokens were asked for, want 1", v.logins)
	}
}

// application configures a client with a secret.
func application(t *testing.T, text string) func(*azurekv.Config) {
	return func(c *azurekv.Config) {
		c.TenantID, c.ClientID, c.ClientSecretFile = "tenant", "app", filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(c.ClientSecretFile, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTokenNearItsEnd checks that a token which ends soon is not used again.
func TestTokenNearItsEnd(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*azurekv.Config){"managed": nil, "application": application(t, secret)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, k := start(t, change)
			v.life = 240
			for want := 1; want < 4; want++ {
				if _, err := k.Versions(t.Context()); err != nil || v.logins != want {
					t.Errorf("call %d: %v, %d tokens", want, err, v.logins)
				}
			}
		})
	}
}

// TestLoginHangs checks that callers wait for a login as long as their contexts
// last, and that the login goes on.
func TestLoginHangs(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*azurekv.Config){"managed": nil, "application": application(t, secret)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, k := start(t, change)
			v.hang = make(chan struct{})
			for range 2 {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				_, err := k.Versions(ctx)
				cancel()
				if provider.KindOf(err) != provider.Unavailable || ctx.Err() == nil {
					t.Errorf("got %v, want unavailable", err)
				}
			}
			close(v.hang)
			if _, err := k.Versions(t.Context()); err != nil || v.logins != 1 {
				t.Errorf("afterwards: %v, %d logins; want one", err, v.logins)
			}
		})
	}
}

// TestOffline checks that logins go through the gate.
func TestOffline(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*azurekv.Config){
		"managed": func(*azurekv.Config) {}, "application": application(t, secret),
	} {
		c := azurekv.DefaultConfig()
		c.ClientID = t.Name()
		change(&c)
		c.Vault, c.Key = "https://x.vault.azure.net", "k"
		k, err := azurekv.New(c, outbound.New(true))
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		_, err = k.Versions(t.Context())
		if cause := errors.Unwrap(err); cause == nil || !strings.Contains(cause.Error(), outbound.ErrOffline.Error()) {
			t.Errorf("%s: %v because of %v, want it refused offline", name, err, cause)
		}
	}
}

// TestForeignPages refuses a list whose next page lies elsewhere: our token does
// not go there, and without it the youngest version could be missing.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	v, k := start(t, nil)
	v.rotate()
	for _, next := range []string{"https://elsewhere.example", v.url + ".elsewhere.example", "http://127.0.0.1:1"} {
		v.next = next
		if got, err := k.Versions(t.Context()); provider.KindOf(err) != provider.Unavailable || err == nil {
			t.Errorf("%s: %v, %v; want unavailable", next, got, err)
		}
	}
	v.next = strings.Replace(v.url, "http://", "HTTP://", 1)
	if got, err := k.Versions(t.Context()); err != nil || len(got) != 2 {
		t.Errorf("the same address in other letters: %v, %v", got, err)
	}
}

// TestRefusedToken checks that a refused token is replaced at the next call.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*azurekv.Config){"managed": nil, "application": application(t, secret)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, k := start(t, change)
			v.fail, v.reason = 401, "Unauthorized"
			for want := 1; want < 3; want++ {
				_, err := k.Versions(t.Context())
				if provider.KindOf(err) != provider.Unauthenticated || v.logins != want {
					t.Errorf("call %d: %v after %d logins", want, err, v.logins)
				}
			}
		})
	}
}

func TestApplication(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]provider.Kind{secret: "", "wrong": provider.Unauthenticated} {
		_, k := start(t, application(t, text))
		_, err := k.Versions(t.Context())
		if (want == "") != (err == nil) || (err != nil && provider.KindOf(err) != want) {
			t.Errorf("secret %q: %v, want %q", text, err, want)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	v, k := start(t, nil)
	for reason, row := range map[string]struct {
		code int
		want provider.Kind
	}{
		"Forbidden": {403, provider.Denied}, "KeyDisabled": {403, provider.Disabled}, "KeyNotFound": {
			404, provider.Disabled,
		},
		"Throttled": {429, provider.Throttled}, "ServiceUnavailable": {503, provider.Unavailable}, "Unauthorized": {
			401, provider.Unauthenticated,
		},
	} {
		v.fail, v.reason = row.code, reason
		_, err := k.Versions(t.Context())
		if provider.KindOf(err) != row.want || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v, want %s", reason, err, row.want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := azurekv.DefaultConfig()
	good.Vault, good.Key = "https://x.vault.azure.net", "k"
	for name, change := range map[string]func(*azurekv.Config){
		"plain":     func(c *azurekv.Config) { c.Vault = "http://x" },
		"no key":    func(c *azurekv.Config) { c.Key = "" },
		"slash":     func(c *azurekv.Config) { c.Key = "a/b" },
		"no secret": func(c *azurekv.Config) { c.TenantID, c.ClientID = "t", "c" },
	} {
		c := good
		change(&c)
		if err := c.Validate(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}
