package conformance_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

const (
	installedBack = "http://127.0.0.1:50123/"
	proofVerifier = "proof-key-of-an-installed-application-in-a-test"
)

// TestOpenID signs a user in to an installed application, as any client of OpenID
// Connect does it: discovery, code with proof key, id token, userinfo.
func TestOpenID(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "ada")
		document := h.Do(t, conformance.Call{Path: "/.well-known/openid-configuration"}).Want(t, http.StatusOK).Object(t)
		id, _ := client(t, h, "device", map[string][]string{
			"redirect": {"http://127.0.0.1/"}, "scope": {"openid", "profile", "tasks"},
		})
		sum := sha256.Sum256([]byte(proofVerifier))
		request := url.Values{
			"client_id": {id}, "redirect_uri": {installedBack}, "response_type": {"code"}, "nonce": {"once"},
			"scope": {"openid profile " + h.URL + "/auth/tasks"}, "state": {"kept"},
			"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		}
		endpoint := func(name string) string {
			path, ok := strings.CutPrefix(conformance.Text(t, document, name), h.URL)
			if !ok {
				t.Fatalf("%s = %v, want it below %s", name, document[name], h.URL)
			}
			return path
		}
		authorize := endpoint("authorization_endpoint")

		t.Run("code", func(t *testing.T) {
			browser := h.SignedIn(t, "ada", "")
			answer := browser.Decide(t, authorize+"?"+request.Encode(), "allow")
			if answer.Get("state") != "kept" || answer.Get("iss") != h.URL {
				t.Errorf("answer = %v, want state and issuer", answer)
			}
			tokens := oauthForm(t, h, endpoint("token_endpoint"), url.Values{
				"grant_type": {"authorization_code"}, "client_id": {id}, "redirect_uri": {installedBack},
				"code": {answer.Get("code")}, "code_verifier": {proofVerifier},
			}).Want(t, http.StatusOK).Object(t)
			claims := verified(t, h, endpoint("jwks_uri"), conformance.Text(t, tokens, "id_token"))
			if claims["nonce"] != "once" || claims["aud"] != id || claims["iss"] != h.URL ||
				claims["preferred_username"] != "ada" || claims["auth_time"] == nil {
				t.Errorf("claims = %v", claims)
			}
			access := conformance.Text(t, tokens, "access_token")
			info := h.Do(t, conformance.Call{Path: endpoint("userinfo_endpoint"), Bearer: access}).
				Want(t, http.StatusOK).Object(t)
			if info["sub"] != claims["sub"] {
				t.Errorf("userinfo = %v, claims = %v", info, claims)
			}
			// The scope of another service opens it.
			h.Do(t, conformance.Call{Path: "/tasks/v1/users/@me/lists", Bearer: access}).Want(t, http.StatusOK)
		})
		t.Run("denied", func(t *testing.T) {
			answer := h.SignedIn(t, "ada", "").Decide(t, authorize+"?"+request.Encode(), "deny")
			if answer.Get("error") != "access_denied" || answer.Get("iss") != h.URL || answer.Has("code") {
				t.Errorf("answer = %v", answer)
			}
		})
		t.Run("sign in again", func(t *testing.T) { signInAgain(t, h, authorize, request) })
	})
}

// signInAgain: an application can ask for a fresh sign-in, and then gets one.
func signInAgain(t *testing.T, h *conformance.Server, authorize string, request url.Values) {
	browser := h.Browser(t, "")
	browser.SignIn(t, "ada")
	h.Clock.Advance(time.Second)
	again := url.Values{"prompt": {"login"}}
	for name, values := range request {
		again[name] = values
	}
	p := browser.Get(t, authorize+"?"+again.Encode())
	if !strings.Contains(p.Text, `name="password"`) {
		t.Fatalf("prompt=login showed %d %s", p.Status, p.Text)
	}
	p = browser.Submit(t, p, url.Values{"name": {"ada"}, "password": {"correct horse battery staple"}})
	if !strings.Contains(p.Text, `value="allow"`) {
		t.Fatalf("after signing in: %d %s", p.Status, p.Text)
	}
	p = browser.Submit(t, p, url.Values{"decision": {"allow"}})
	if !strings.HasPrefix(p.Location, installedBack) || !strings.Contains(p.Location, "code=") {
		t.Errorf("after the decision: %d %q", p.Status, p.Location)
	}
}

// verified are the claims of an id token that one of the published keys signed.
func verified(t *testing.T, h *conformance.Server, path, token string) map[string]any {
	t.Helper()
	var published struct {
		Keys []struct {
			ID string `json:"kid"`
			N  string `json:"n"`
			E  string `json:"e"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(h.Do(t, conformance.Call{Path: path}).Want(t, http.StatusOK).Body, &published); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the id token has %d parts", len(parts))
	}
	var head struct {
		ID string `json:"kid"`
	}
	var claims map[string]any
	for text, into := range conformance.InOrder(map[string]any{parts[0]: &head, parts[1]: &claims}) {
		if err := json.Unmarshal(decoded(t, text), into); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	for _, k := range published.Keys {
		if k.ID != head.ID {
			continue
		}
		public := &rsa.PublicKey{
			N: new(big.Int).SetBytes(decoded(t, k.N)), E: int(new(big.Int).SetBytes(decoded(t, k.E)).Int64()),
		}
		if err := rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], decoded(t, parts[2])); err != nil {
			t.Errorf("the signature: %v", err)
		}
		return claims
	}
	t.Fatalf("key %q is not published", head.ID)
	return nil
}

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
