package oidc_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
)

const (
	clientID = "stoa"
	back     = "https://stoa.test/console/sign-in/provider/answer"
	state    = "0123456789abcdef0123456789abcdef"
)

// testProvider is an OpenID Connect provider that can be made to lie.
type testProvider struct {
	*httptest.Server
	key *rsa.PrivateKey
	// challenge and nonce are those of the last request.
	challenge, nonce string
	// change alters the claims of the id token, info those of userinfo, discovery the document.
	change, info, discovery func(map[string]any)
	header                  map[string]any
	asked                   int
}

// privateKey is made once: making one takes long.
var privateKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newProvider(t *testing.T, now func() time.Time) *testProvider {
	t.Helper()
	key := privateKey()
	p := &testProvider{key: key, header: map[string]any{"alg": "RS256", "kid": "1"}}
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.asked++
		document := map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		}
		if p.discovery != nil {
			p.discovery(document)
		}
		write(w, document)
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"keys": []any{map[string]any{
			"kid": "1", "kty": "RSA", "alg": "RS256", "use": "sig", "n": encode(key.N.Bytes()),
			"e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if r.FormValue("code") != "good" || encode(sum[:]) != p.challenge || r.FormValue("redirect_uri") != back {
			w.WriteHeader(http.StatusBadRequest)
			write(w, map[string]any{"error": "invalid_grant"})
			return
		}
		claims := map[string]any{
			"iss": p.URL, "sub": "u1", "aud": clientID, "exp": now().Add(time.Hour).Unix(), "iat": now().Unix(),
			"nonce": p.nonce, "preferred_username": "ada", "name": "Ada L.", "email": "ada@dir.test",
			"email_verified": true, "groups": []string{"devs", "cn=ops,dc=x"},
		}
		if p.change != nil {
			p.change(claims)
		}
		write(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": p.sign(t, claims)})
	})
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) {
		told := map[string]any{"sub": "u1", "groups": "devs"}
		if p.info != nil {
			p.info(told)
		}
		write(w, told)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func (p *testProvider) sign(t *testing.T, claims map[string]any) string {
	t.Helper()
	head, err := json.Marshal(p.header)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	text := encode(head) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(signature)
}

func rule(text string) (g oidc.GroupRule) {
	if err := g.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return g
}

// signIn runs the flow against the provider.
func signIn(t *testing.T, p *testProvider, c oidc.Config, answer url.Values) (oidc.Account, error) {
	t.Helper()
	c.Issuer, c.ClientID = p.URL, clientID
	made, err := oidc.New(oidc.Options{
		Config: c, Clock: clock.Real(), Gate: outbound.New(true), Key: []byte("a key of this installation"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	start, err := made.StartURL(t.Context(), state, back)
	if err != nil {
		return oidc.Account{}, err
	}
	u, err := url.Parse(start)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("state") != state || q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid profile email" ||
		q.Get("response_type") != "code" || q.Get("redirect_uri") != back {
		t.Errorf("start = %s", start)
	}
	p.challenge, p.nonce = q.Get("code_challenge"), q.Get("nonce")
	return made.Finish(t.Context(), state, back, answer)
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	p := newProvider(t, time.Now)
	c := oidc.DefaultConfig()
	c.AllowedDomains = []string{"DIR.test"}
	c.Groups = []oidc.GroupRule{
		rule("devs=org/acme"), rule("cn=ops,dc=x=org/Acme/owner"), rule("devs=team/core/admin"), rule("others=admin"),
	}
	got, err := signIn(t, p, c, url.Values{"code": {"good"}})
	if err != nil {
		t.Fatal(err)
	}
	want := oidc.Account{
		Issuer: p.URL, Subject: "u1", UserName: "ada", Name: "Ada L.", Email: "ada@dir.test",
		Memberships: []oidc.Membership{
			{Kind: oidc.Org, Name: "acme", Role: "owner"}, {Kind: oidc.Team, Name: "core", Role: "admin"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("account (-want +got):\n%s", diff)
	}
}

// TestHostileAnswers: no answer that does not prove who signed in gives an account.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	good := url.Values{"code": {"good"}}
	claim := func(name string, value any) func(*testProvider) {
		return func(p *testProvider) { p.change = func(c map[string]any) { c[name] = value } }
	}
	for name, row := range map[string]struct {
		with   func(*testProvider)
		answer url.Values
		want   string
	}{
		"another nonce":    {claim("nonce", "x"), good, "nonce of another sign-in"},
		"no nonce":         {claim("nonce", ""), good, "nonce of another sign-in"},
		"another audience": {claim("aud", "other"), good, "audience"},
		"another party":    {claim("azp", "other"), good, "another client"},
		"two audiences":    {claim("aud", []string{clientID, "other"}), good, "another client"},
		"another issuer":   {claim("iss", "https://evil.test"), good, "different provider"},
		"over":             {claim("exp", time.Now().Add(-time.Minute).Unix()), good, "expired"},
		"no subject":       {claim("sub", ""), good, "subject"},
		"not signed":       {func(p *testProvider) { p.header["alg"] = "none" }, good, "signature"},
		"a secret's MAC":   {func(p *testProvider) { p.header["alg"] = "HS256" }, good, "signature"},
		"another key":      {func(p *testProvider) { p.header["kid"] = "2" }, good, "signature"},
		"an old code":      {nil, url.Values{"code": {"old"}}, "invalid_grant"},
		"denied":           {nil, url.Values{"error": {"access_denied"}}, "access_denied"},
		"another server":   {nil, url.Values{"code": {"good"}, "iss": {"https://evil.test"}}, "comes from"},
		"server not named": {
			func(p *testProvider) {
				p.discovery = func(d map[string]any) { d["authorization_response_iss_parameter_supported"] = true }
			}, good, "comes from",
		},
		"userinfo of another": {
			func(p *testProvider) {
				p.change = func(c map[string]any) { delete(c, "name") }
				p.info = func(c map[string]any) { c["sub"] = "u2" }
			}, good, "another user",
		},
		"plain http elsewhere": {
			func(p *testProvider) {
				p.discovery = func(d map[string]any) { d["token_endpoint"] = "http://192.0.2.1/token" }
			}, good, "neither https nor",
		},
		"elsewhere while offline": {
			func(p *testProvider) {
				p.discovery = func(d map[string]any) { d["token_endpoint"] = "https://192.0.2.1/token" }
			}, good, "offline",
		},
		"browser sent to plain http": {
			func(p *testProvider) {
				p.discovery = func(d map[string]any) { d["authorization_endpoint"] = "http://192.0.2.1/auth" }
			}, good, "authorization_endpoint",
		},
		"an answer without end": {
			func(p *testProvider) {
				p.change = func(c map[string]any) { c["name"] = strings.Repeat("a", 2<<20) }
			}, good, "cannot parse",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, time.Now)
			if row.with != nil {
				row.with(p)
			}
			got, err := signIn(t, p, oidc.DefaultConfig(), row.answer)
			var refused *oidc.Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), row.want) || got.Subject != "" {
				t.Errorf("account %+v, %v; want a refusal with %q", got, err, row.want)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		email    any
		verified any
		domains  []string
		trust    bool
		want     string
		refused  bool
	}{
		"verified":            {"ada@dir.test", true, nil, false, "ada@dir.test", false},
		"verified as text":    {"ada@dir.test", "true", nil, false, "ada@dir.test", false},
		"not verified":        {"ada@dir.test", false, nil, false, "", false},
		"trusted":             {"ada@dir.test", nil, nil, true, "ada@dir.test", false},
		"another domain":      {"ada@else.test", true, []string{"dir.test"}, false, "", true},
		"domain not verified": {"ada@dir.test", false, []string{"dir.test"}, false, "", true},
		"a longer domain":     {"ada@evil.dir.test", true, []string{"dir.test"}, false, "", true},
		"two at signs":        {"a@dir.test@evil.test", true, []string{"dir.test"}, false, "", true},
		"no address":          {nil, true, []string{"dir.test"}, true, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, time.Now)
			p.change = func(c map[string]any) { c["email"], c["email_verified"] = row.email, row.verified }
			c := oidc.DefaultConfig()
			c.AllowedDomains, c.TrustEmail = row.domains, row.trust
			got, err := signIn(t, p, c, url.Values{"code": {"good"}})
			if (err != nil) != row.refused || got.Email != row.want {
				t.Errorf("email = %q, %v; want %q, refused %t", got.Email, err, row.want, row.refused)
			}
		})
	}
}

// TestClaims: names of claims are the operator's, and what the id token leaves out
// comes from userinfo.
func TestClaims(t *testing.T) {
	t.Parallel()
	p := newProvider(t, time.Now)
	p.change = func(c map[string]any) {
		delete(c, "groups")
		c["realm"] = map[string]any{"login": "grace"}
	}
	c := oidc.DefaultConfig()
	c.Claims.UserName, c.Groups = "realm.login", []oidc.GroupRule{rule("devs=admin")}
	got, err := signIn(t, p, c, url.Values{"code": {"good"}})
	if err != nil || got.UserName != "grace" || len(got.Memberships) != 1 || got.Memberships[0].Kind != oidc.Admin {
		t.Errorf("account = %+v, %v", got, err)
	}
}

// TestAddressOfAnotherClaim: email_verified speaks about the claim email, so an address in another claim is believed
// only where it is the same one or the operator trusts it, and the flag is that of the answer that the address is
// from.
func TestAddressOfAnotherClaim(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		config     func(*oidc.Config)
		told, info map[string]any
		want       string
	}{
		"of another claim": {
			func(c *oidc.Config) { c.Claims.Email = "upn" }, map[string]any{"upn": "root@dir.test"}, nil, "",
		},
		"of another claim, which is trusted": {
			func(c *oidc.Config) { c.Claims.Email, c.TrustEmail = "upn", true },
			map[string]any{"upn": "root@dir.test"}, nil, "root@dir.test",
		},
		"the same in another claim": {
			func(c *oidc.Config) { c.Claims.Email = "upn" }, map[string]any{"upn": "ada@dir.test"}, nil, "ada@dir.test",
		},
		"of another claim, in a domain": {
			func(c *oidc.Config) { c.Claims.Email, c.AllowedDomains = "upn", []string{"other.test"} },
			map[string]any{"upn": "ada@other.test"}, nil, "refused",
		},
		"within another claim": {
			func(c *oidc.Config) { c.Claims.Email = "mail.work" },
			map[string]any{"mail": map[string]any{"work": "root@dir.test"}, "email_verified": nil, "email": nil, "name": nil},
			map[string]any{"email": "eve@dir.test", "email_verified": true}, "",
		},
		"the address from userinfo": {
			func(*oidc.Config) {}, map[string]any{"email": nil},
			map[string]any{"email": "eve@dir.test", "email_verified": false}, "",
		},
		"the flag from userinfo": {
			func(*oidc.Config) {}, map[string]any{"email_verified": nil, "name": nil},
			map[string]any{"email": "eve@dir.test", "email_verified": true}, "",
		},
		"both from userinfo": {
			func(*oidc.Config) {}, map[string]any{"email": nil, "email_verified": nil},
			map[string]any{"email": "eve@dir.test", "email_verified": true}, "eve@dir.test",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, time.Now)
			p.change = func(c map[string]any) {
				maps.Copy(c, row.told)
				maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
			}
			p.info = func(c map[string]any) { maps.Copy(c, row.info) }
			c := oidc.DefaultConfig()
			row.config(&c)
			got, err := signIn(t, p, c, url.Values{"code": {"good"}})
			if row.want == "refused" {
				if refused, ok := errors.AsType[*oidc.Error](err); !ok || refused.Unavailable {
					t.Errorf("account = %+v, %v; want a refusal", got, err)
				}
				return
			}
			if err != nil || got.Email != row.want {
				t.Errorf("address = %q, %v; want %q", got.Email, err, row.want)
			}
		})
	}
}

// TestAway: a provider that does not answer is asked again after a while.
func TestAway(t *testing.T) {
	t.Parallel()
	virtual := clock.NewVirtual(time.Now())
	p := newProvider(t, virtual.Now)
	broken := true
	p.discovery = func(d map[string]any) {
		if broken {
			d["issuer"] = "https://another.test"
		}
	}
	c := oidc.DefaultConfig()
	c.Issuer, c.ClientID = p.URL, clientID
	made, err := oidc.New(oidc.Options{Config: c, Clock: virtual, Gate: outbound.New(false), Key: []byte("key")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	for range 3 {
		_, err := made.StartURL(context.Background(), state, back)
		var refused *oidc.Error
		if !errors.As(err, &refused) || !refused.Unavailable {
			t.Errorf("err = %v, want unavailable", err)
		}
	}
	broken = false
	virtual.Advance(6 * time.Second)
	if _, err := made.StartURL(t.Context(), state, back); err != nil || p.asked != 2 {
		t.Errorf("%v after %d calls, want a start after 2", err, p.asked)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	valid := oidc.DefaultConfig()
	if err := valid.Validate(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	valid.Issuer, valid.ClientID = "https://dir.test", "stoa"
	if err := valid.Validate(); err != nil {
		t.Errorf("issuer and client: %v", err)
	}
	for want, change := range map[string]func(*oidc.Config){
		"oidc.issuer: name":       func(c *oidc.Config) { c.Issuer = "" },
		"neither https":           func(c *oidc.Config) { c.Issuer = "http://dir.test" },
		"not the address":         func(c *oidc.Config) { c.Issuer = "dir" },
		"oidc.client_id":          func(c *oidc.Config) { c.ClientID = "" },
		"oidc.claims":             func(c *oidc.Config) { c.Claims.Email = "" },
		"oidc.client_secret_file": func(c *oidc.Config) { c.ClientSecretFile = "/none/there" },
		"oidc.allowed_domains":    func(c *oidc.Config) { c.AllowedDomains = []string{"a@b"} },
	} {
		c := valid
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate = %v, want %q in it", err, want)
		}
	}
	for _, text := range []string{"", "x", "=admin", "g=org", "g=org/", "g=org/a/king", "g=user/a", "g=org/a/owner/b"} {
		var g oidc.GroupRule
		if err := g.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("rule %q = %+v, want an error", text, g)
		}
	}
	for _, text := range []string{"g=admin", "cn=x,dc=y=org/a/owner", "g=team/t/member"} {
		if got, err := rule(text).MarshalText(); err != nil || string(got) != text {
			t.Errorf("rule %q is written %q, %v", text, got, err)
		}
	}
}

func TestOffline(t *testing.T) {
	t.Parallel()
	c := oidc.DefaultConfig()
	c.Issuer, c.ClientID = "https://dir.test", "stoa"
	made, err := oidc.New(oidc.Options{Config: c, Clock: clock.Real(), Gate: outbound.New(true), Key: []byte("key")})
	if made != nil || err != nil {
		t.Errorf("offline: %v, %v; want none", made, err)
	}
}
