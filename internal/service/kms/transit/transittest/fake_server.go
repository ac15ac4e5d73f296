package transittest

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The names and credentials the server knows.
const (
	Mount    = "transit"
	KeyName  = "cluster"
	Token    = "hvs.standing-token-of-the-test"
	RoleID   = "role-of-the-test"
	SecretID = "secret-of-the-role"
)

// Server is one running stand-in.
type Server struct {
	URL string
	// LeaseSeconds is the life of tokens; 0 means for ever.
	LeaseSeconds int64

	t    testing.TB
	http *httptest.Server

	mu       sync.Mutex
	kind     string
	lives    int // how often the key was made anew
	keys     []version
	oldest   int
	down     int // the status every answer has; 0 means none
	denied   string
	maxPlain int // how many bytes decrypt gives; 0 means all
	tokens   map[string]bool
	calls    map[string]int
	refusals []string
	logins   int
}

type version struct {
	made int64
	aead cipher.AEAD
}

// Start serves a key with one version.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, kind: "aes256-gcm96", oldest: 1, tokens: map[string]bool{Token: true}, calls: map[string]int{}}
	s.Rotate()
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	t.Cleanup(s.http.Close)
	return s
}

// Rotate makes a new version behind the plugin's back.
func (s *Server) Rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.keys) + 1
	key := make([]byte, 32)
	copy(key, fmt.Sprintf("stand-in %d, version %d", s.lives, n))
	block, err := aes.NewCipher(key)
	if err != nil {
		s.t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		s.t.Fatal(err)
	}
	s.keys = append(s.keys, version{made: 1_700_000_000 + int64(1000*s.lives+n), aead: aead})
}

// Recreate deletes the key and makes it anew under the same name.
func (s *Server) Recreate() {
	s.set(func() { s.keys, s.lives = nil, s.lives+1 })
	s.Rotate()
}

// Fail makes every answer have this status; 0 ends that.
func (s *Server) Fail(status int) { s.set(func() { s.down = status }) }

// Deny refuses one operation: encrypt, decrypt, keys or rotate; "" ends that.
func (s *Server) Deny(operation string) { s.set(func() { s.denied = operation }) }

// Type changes the type of the key.
func (s *Server) Type(kind string) { s.set(func() { s.kind = kind }) }

// Oldest sets the oldest version that may decrypt.
func (s *Server) Oldest(n int) { s.set(func() { s.oldest = n }) }

// Shorten makes decrypt give no more than n bytes; 0 ends that.
func (s *Server) Shorten(n int) { s.set(func() { s.maxPlain = n }) }

// Revoke forgets every token that was given out, and the standing one.
func (s *Server) Revoke() { s.set(func() { clear(s.tokens) }) }

// Calls is how often an operation was asked for.
func (s *Server) Calls(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[operation]
}

// Refusals are the requests that broke a rule.
func (s *Server) Refusals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refusals...)
}

func (s *Server) set(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

// ServeHTTP is the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/v1/")
	if !ok || r.URL.RawQuery != "" || r.Header.Get("X-Vault-Request") != "true" {
		s.broken(w, r, "path, query or X-Vault-Request")
		return
	}
	if r.Method != http.MethodGet && r.Header.Get("Content-Type") != "application/json" {
		s.broken(w, r, "media type")
		return
	}
	s.calls[r.Method+" "+path]++
	if s.down != 0 {
		fault(w, s.down, "Vault is sealed")
		return
	}
	if path == "auth/approle/login" {
		s.login(w, r)
		return
	}
	if !s.tokens[r.Header.Get("X-Vault-Token")] {
		fault(w, http.StatusForbidden, "permission denied")
		return
	}
	s.operation(w, r, path)
}

func (s *Server) operation(w http.ResponseWriter, r *http.Request, path string) {
	if s.denied != "" && strings.Contains(path, s.denied) {
		fault(w, http.StatusForbidden, "1 error occurred: permission denied")
		return
	}
	switch r.Method + " " + path {
	case "GET auth/token/lookup-self":
		answer(w, map[string]any{"data": map[string]any{"ttl": s.LeaseSeconds, "renewable": s.LeaseSeconds > 0}})
	case "POST auth/token/renew-self":
		s.lease(w, r.Header.Get("X-Vault-Token"))
	case "GET " + Mount + "/keys/" + KeyName:
		s.read(w)
	case "POST " + Mount + "/keys/" + KeyName + "/rotate":
		s.mu.Unlock()
		s.Rotate()
		s.mu.Lock()
		w.WriteHeader(http.StatusNoContent)
	case "POST " + Mount + "/encrypt/" + KeyName:
		s.encrypt(w, r)
	case "POST " + Mount + "/decrypt/" + KeyName:
		s.decrypt(w, r)
	default:
		s.broken(w, r, "no such operation")
	}
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var in struct {
		RoleID   string `json:"role_id"`
		SecretID string `json:"secret_id"`
	}
	if !s.decode(w, r, &in) {
		return
	}
	if in.RoleID != RoleID || in.SecretID != SecretID || r.Header.Get("X-Vault-Token") != "" {
		fault(w, http.StatusBadRequest, "invalid role or secret ID")
		return
	}
	s.logins++
	token := fmt.Sprintf("hvs.login-%d", s.logins)
	s.tokens[token] = true
	s.lease(w, token)
}

func (s *Server) lease(w http.ResponseWriter, token string) {
	answer(w, map[string]any{"auth": map[string]any{
		"client_token": token, "lease_duration": s.LeaseSeconds, "renewable": s.LeaseSeconds > 0,
	}})
}

func (s *Server) read(w http.ResponseWriter) {
	keys := map[string]int64{}
	for i, v := range s.keys {
		if i+1 >= s.oldest {
			keys[strconv.Itoa(i+1)] = v.made
		}
	}
	answer(w, map[string]any{"data": map[string]any{
		"type": s.kind, "latest_version": len(s.keys), "min_decryption_version": s.oldest, "keys": keys,
		"name": KeyName,
	}})
}

func (s *Server) encrypt(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Plaintext      string `json:"plaintext"`
		AssociatedData string `json:"associated_data"`
		KeyVersion     int    `json:"key_version"`
	}
	if !s.decode(w, r, &in) {
		return
	}
	plain, err := base64.StdEncoding.DecodeString(in.Plaintext)
	data, bad := base64.StdEncoding.DecodeString(in.AssociatedData)
	if err != nil || bad != nil || len(plain) != 32 || len(data) == 0 || in.KeyVersion < 1 ||
		in.KeyVersion > len(s.keys) {
		s.broken(w, r, "fields of encrypt")
		return
	}
	sealed := s.keys[in.KeyVersion-1].aead.Seal(nil, nil, plain, data)
	answer(w, map[string]any{"data": map[string]any{
		"ciphertext":  fmt.Sprintf("vault:v%d:%s", in.KeyVersion, base64.StdEncoding.EncodeToString(sealed)),
		"key_version": in.KeyVersion,
	}})
}

func (s *Server) decrypt(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Ciphertext     string `json:"ciphertext"`
		AssociatedData string `json:"associated_data"`
	}
	if !s.decode(w, r, &in) {
		return
	}
	data, err := base64.StdEncoding.DecodeString(in.AssociatedData)
	parts := strings.SplitN(in.Ciphertext, ":", 3)
	if err != nil || len(data) == 0 || len(parts) != 3 || parts[0] != "vault" {
		s.broken(w, r, "fields of decrypt")
		return
	}
	n, err := strconv.Atoi(strings.TrimPrefix(parts[1], "v"))
	if err != nil || n < 1 || n > len(s.keys) {
		fault(w, http.StatusBadRequest, "invalid ciphertext: version is too new")
		return
	}
	if n < s.oldest {
		fault(w, http.StatusBadRequest, "ciphertext or signature version is disallowed by policy (too old)")
		return
	}
	sealed, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		fault(w, http.StatusBadRequest, "invalid ciphertext: could not decode base64")
		return
	}
	plain, err := s.keys[n-1].aead.Open(nil, nil, sealed, data)
	if err != nil {
		fault(w, http.StatusBadRequest, "cipher: message authentication failed")
		return
	}
	if s.maxPlain > 0 {
		plain = plain[:min(len(plain), s.maxPlain)]
	}
	answer(w, map[string]any{"data": map[string]any{"plaintext": base64.StdEncoding.EncodeToString(plain)}})
}

// decode refuses members that the true operation does not have.
func (s *Server) decode(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		s.broken(w, r, err.Error())
		return false
	}
	return true
}

func (s *Server) broken(w http.ResponseWriter, r *http.Request, why string) {
	s.refusals = append(s.refusals, r.Method+" "+r.URL.Path+": "+why)
	fault(w, http.StatusBadRequest, why)
}

func fault(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []string{message}}) // or the client is gone
}

func answer(w http.ResponseWriter, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // or the client is gone
}
