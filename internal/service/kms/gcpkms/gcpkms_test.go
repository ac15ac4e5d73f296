//go:build !small

package gcpkms_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/gcpkms"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	name  = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
	email = "plugin@p.iam.example"
	token = "ya29.token-of-the-test"
)

// service is a strict stand-in: it verifies the account's signature, the
// token, every field and every checksum.
type service struct {
	t   *testing.T
	key *rsa.PrivateKey

	mu       sync.Mutex
	versions int
	primary  int
	fail     int
	status   string
	logins   int
	// life is how long a token is valid, in seconds.
	life int
	// hang keeps logins waiting until it is closed.
	hang chan struct{}
}

type sealed struct{ Version, Plaintext, Data string }

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.hang != nil && r.URL.Path == "/token" {
		<-s.hang
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/token" {
		s.logins++
		s.issue(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+token {
		s.t.Errorf("authorization = %q", r.Header.Get("Authorization"))
	}
	if s.fail != 0 {
		w.WriteHeader(s.fail)
		answer(w, map[string]any{"error": map[string]any{"status": s.status, "message": "as the test wants"}})
		return
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/v1/"+name); r.Method + " " + path {
	case "GET ":
		answer(w, map[string]any{"name": name, "purpose": "ENCRYPT_DECRYPT", "primary": s.version(s.primary)})
	case "GET /cryptoKeyVersions":
		s.list(w, r)
	case "POST /cryptoKeyVersions":
		s.versions++
		answer(w, s.version(s.versions))
	case "POST :updatePrimaryVersion":
		var in struct {
			ID string `json:"cryptoKeyVersionId"`
		}
		s.decode(r, &in)
		_, _ = fmt.Sscan(in.ID, &s.primary)
		answer(w, map[string]any{})
	case "POST :decrypt":
		s.decrypt(w, r)
	default:
		s.encrypt(w, r, strings.TrimPrefix(r.URL.Path, "/v1/"))
	}
}

// issue checks a signed assertion, as RFC 7523 has it.
func (s *service) issue(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.PostFormValue("assertion"), ".")
	if len(parts) != 3 || r.PostFormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		s.t.Errorf("token request: %v", r.PostForm)
		return
	}
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, digest[:], signature); err != nil ||
		!bytes.Contains(claims, []byte(email)) || !bytes.Contains(claims, []byte("auth/cloudkms")) {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": s.life})
}

func (s *service) version(n int) map[string]string {
	return map[string]string{
		"name": fmt.Sprintf("%s/cryptoKeyVersions/%d", name, n), "state": "ENABLED",
		"createTime": fmt.Sprintf("2026-01-%02dT00:00:00Z", n),
	}
}

// list gives one version a page.
func (s *service) list(w http.ResponseWriter, r *http.Request) {
	n := 1
	if page := r.URL.Query().Get("pageToken"); page != "" {
		_, _ = fmt.Sscan(page, &n)
	}
	out := map[string]any{"cryptoKeyVersions": []any{s.version(n)}}
	if n < s.versions {
		out["nextPageToken"] = fmt.Sprint(n + 1)
	}
	answer(w, out)
}

type request struct {
	Plaintext     []byte `json:"plaintext"`
	PlaintextCRC  int64  `json:"plaintextCrc32c,string"`
	Ciphertext    []byte `json:"ciphertext"`
	CiphertextCRC int64  `json:"ciphertextCrc32c,string"`
	Data          []byte `json:"additionalAuthenticatedData"`
	DataCRC       int64  `json:"additionalAuthenticatedDataCrc32c,string"`
}

func crc(b []byte) int64 { return int64(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))) }

func (s *service) encrypt(w http.ResponseWriter, r *http.Request, path string) {
	version, ok := strings.CutSuffix(path, ":encrypt")
	var in request
	s.decode(r, &in)
	if !ok || in.PlaintextCRC != crc(in.Plaintext) || in.DataCRC != crc(in.Data) || len(in.Data) == 0 {
		s.t.Errorf("%s: %+v", r.URL.Path, in)
	}
	text, _ := json.Marshal(sealed{version, string(in.Plaintext), string(in.Data)})
	answer(w, map[string]any{
		"name": version, "ciphertext": text, "ciphertextCrc32c": fmt.Sprint(crc(text)),
		"verifiedPlaintextCrc32c": true, "verifiedAdditionalAuthenticatedDataCrc32c": true,
	})
}

func (s *service) decrypt(w http.ResponseWriter, r *http.Request) {
	var in request
	var kept sealed
	s.decode(r, &in)
	if in.CiphertextCRC != crc(in.Ciphertext) || json.Unmarshal(in.Ciphertext, &kept) != nil ||
		kept.Data != string(in.Data) {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]any{"error": map[string]any{"status": "INVALID_ARGUMENT", "message": "Decryption failed"}})
		return
	}
	answer(w, map[string]any{
		"plaintext": []byte(kept.Plaintext), "plaintextCrc32c": fmt.Sprint(crc([]byte(kept.Plaintext))),
	})
}

func (s *service) decode(r *http.Request, into any) {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		s.t.Errorf("%s: %v", r.URL.Path, err)
	}
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

// credentials writes the key file of the account and returns its path.
func (s *service) credentials(t *testing.T, tokenURI string) string {
	t.Helper()
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(s.key)}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": email, "token_uri": tokenURI,
		"private_key": string(pem.EncodeToMemory(block)),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func start(t *testing.T) (*service, *gcpkms.Key) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, key: key, versions: 1, primary: 1, life: 3600}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := gcpkms.Config{Key: name, Endpoint: server.URL, CredentialsFile: s.credentials(t, server.URL+"/token")}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	k, err := gcpkms.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return s, k
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	s, k := start(t)
	first, err := k.Versions(t.Context())
	if err != nil || len(first) != 1 {
		t.Fatalf("Versions = %v, %v", first, err)
	}
	secret := bytes.Repeat([]byte{7}, 32)
	wrapped, err := k.Wrap(t.Context(), first[0].Name, secret, []byte("id"))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := k.Unwrap(t.Context(), first[0].Name, wrapped, []byte("id"))
	if err != nil || !bytes.Equal(got, secret) {
		t.Errorf("Unwrap = %x, %v", got, err)
	}
	_, err = k.Unwrap(t.Context(), first[0].Name, wrapped, []byte("other"))
	if provider.KindOf(err) != provider.Refused {
		t.Errorf("another binding: %v, want refused", err)
	}
	// The primary version is the one to wrap with, whatever is newer.
	s.primary = 1
	versions, err := k.Versions(t.Context())
	if err != nil || len(versions) != 2 || versions[1] != first[0] {
		t.Errorf("Versions = %v, %v; want the primary last", versions, err)
	}
	_, err = k.Wrap(t.Context(), "projects/x/cryptoKeyVersions/1", secret, nil)
	if provider.KindOf(err) != provider.Disabled {
		t.Errorf("another key's version: %v", err)
	}
}

// TestLoginHangs checks that callers wait for a login as long as their contexts
// last, and that the login goes on.
func TestLoginHangs(t *testing.T) {
	t.Parallel()
	s, k := start(t)
	s.hang = make(chan struct{})
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := k.Versions(ctx)
		cancel()
		if provider.KindOf(err) != provider.Unavailable || ctx.Err() == nil {
			t.Errorf("got %v, want unavailable", err)
		}
	}
	close(s.hang)
	if _, err := k.Versions(t.Context()); err != nil || s.logins != 1 {
		t.Errorf("afterwards: %v, %d logins; want one", err, s.logins)
	}
}

// TestTokenNearItsEnd checks that a token which ends soon is not used again, and
// that any other is.
func TestTokenNearItsEnd(t *testing.T) {
	t.Parallel()
	for life, want := range map[int]int{3600: 1, 120: 6} { // each Versions makes two calls
		s, k := start(t)
		s.life = life
		for range 3 {
			if _, err := k.Versions(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if s.logins != want {
			t.Errorf("tokens of %d seconds: %d logins, want %d", life, s.logins, want)
		}
	}
}

// TestOffline checks that logins go through the gate.
func TestOffline(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	file := s.credentials(t, "https://oauth2.googleapis.com/token")
	for _, path := range []string{file, ""} {
		c := gcpkms.DefaultConfig()
		c.Key, c.CredentialsFile = name, path
		k, err := gcpkms.New(c, outbound.New(true))
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		if _, err = k.Versions(t.Context()); !errors.Is(err, outbound.ErrOffline) {
			t.Errorf("credentials in %q: %v, want it refused offline", path, err)
		}
	}
}

// TestOtherCredentials checks that only a service account is accepted: other
// kinds name addresses that would be called.
func TestOtherCredentials(t *testing.T) {
	t.Parallel()
	c := gcpkms.DefaultConfig()
	c.Key, c.CredentialsFile = name, filepath.Join(t.TempDir(), "other.json")
	text := `{"type":"external_account","audience":"a","subject_token_type":"t",` +
		`"token_url":"https://elsewhere.example"}`
	if err := os.WriteFile(c.CredentialsFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := gcpkms.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	if _, err := k.Versions(t.Context()); provider.KindOf(err) != provider.Unauthenticated {
		t.Errorf("got %v, want unauthenticated", err)
	}
}

// TestRefusedToken checks that a refused token is replaced at the next call.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	s, k := start(t)
	s.fail, s.status = 401, "UNAUTHENTICATED"
	for want := 1; want < 3; want++ {
		if _, err := k.Versions(t.Context()); provider.KindOf(err) != provider.Unauthenticated || s.logins != want {
			t.Errorf("call %d: %v after %d logins", want, err, s.logins)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	s, k := start(t)
	for status, row := range map[string]struct {
		code int
		want provider.Kind
	}{
		"PERMISSION_DENIED": {403, provider.Denied}, "NOT_FOUND": {404, provider.Disabled}, "FAILED_PRECONDITION": {
			400, provider.Disabled,
		},
		"RESOURCE_EXHAUSTED": {429, provider.Throttled}, "UNAVAILABLE": {503, provider.Unavailable},
		"UNAUTHENTICATED": {401, provider.Unauthenticated},
	} {
		s.fail, s.status = row.code, status
		_, err := k.Versions(t.Context())
		if provider.KindOf(err) != row.want || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v, want %s", status, err, row.want)
		}
	}
	c := gcpkms.Config{Key: name, Endpoint: "https://kms.example", CredentialsFile: "/nowhere.json"}
	missing, err := gcpkms.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(missing.Close)
	if _, err := missing.Versions(t.Context()); provider.KindOf(err) != provider.Unauthenticated {
		t.Errorf("no credentials: %v, want unauthenticated", err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for key, good := range map[string]bool{
		name: true, "": false, "k": false, name + "/cryptoKeyVersions/1": false, name + "?x": false,
	} {
		c := gcpkms.DefaultConfig()
		c.Key = key
		if err := c.Validate(); (err == nil) != good {
			t.Errorf("%q: %v, want good %v", key, err, good)
		}
	}
}
