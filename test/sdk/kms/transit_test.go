package kms_test

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// remote is a key in a transit engine that can be made to fail.
type remote struct {
	*httptest.Server
	down  atomic.Bool
	calls atomic.Int64
	aead  cipher.AEAD
}

func startRemote(t *testing.T) *remote {
	t.Helper()
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{}
	if r.aead, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		t.Fatal(err)
	}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *remote) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.calls.Add(1)
	if r.down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"errors":["Vault is sealed"]}`))
		return
	}
	var in struct {
		Plaintext      []byte `json:"plaintext"`
		AssociatedData []byte `json:"associated_data"`
		Ciphertext     string `json:"ciphertext"`
	}
	if q.Method == http.MethodPost {
		if err := json.NewDecoder(q.Body).Decode(&in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	data := map[string]any{}
	switch strings.TrimPrefix(q.URL.Path, "/v1/") {
	case "auth/token/lookup-self":
		data["ttl"] = 0
	case "transit/keys/cluster":
		data["type"], data["latest_version"], data["min_decryption_version"] = "aes256-gcm96", 1, 1
		data["keys"] = map[string]int{"1": 1_700_000_000}
	case "transit/encrypt/cluster":
		data["ciphertext"] = "vault:v1:" +
			base64.StdEncoding.EncodeToString(r.aead.Seal(nil, nil, in.Plaintext, in.AssociatedData))
	case "transit/decrypt/cluster":
		sealed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(in.Ciphertext, "vault:v1:"))
		if err == nil {
			data["plaintext"], err = r.aead.Open(nil, nil, sealed, in.AssociatedData)
		}
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}
