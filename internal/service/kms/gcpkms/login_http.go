package gcpkms

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2/google"

	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	// loginTime bounds a login, whoever waits for it.
	loginTime = 10 * time.Second
	// assertionLife is how long an assertion is good for.
	assertionLife = time.Hour
	// early is how long before its end a token is replaced.
	early = 5 * time.Minute

	grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	maxToken  = 1 << 20
)

// token is a bearer token that lives for a while yet.
func (k *Key) token(ctx context.Context) (string, error) {
	if k.config.CredentialsFile == "" {
		return k.defaultToken(ctx)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.Now()
	if k.bearer != "" && now.Before(k.endsAt.Add(-early)) {
		return k.bearer, nil
	}
	bearer, life, err := k.login(ctx, now)
	if ctx.Err() != nil {
		return "", provider.Fail(provider.Unavailable, ctx.Err(), "%s: the login did not answer in time", remote)
	}
	if err != nil {
		return "", provider.Fail(provider.Unauthenticated, err, "%s: no credentials, or they were refused", remote)
	}
	k.bearer, k.endsAt = bearer, now.Add(life)
	return bearer, nil
}

// forget drops a token that was refused; the next call has another one.
func (k *Key) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bearer, k.defaults = "", nil
}

// account is the key file of a service account.
type account struct {
	Type       string `json:"type"`
	Email      string `json:"client_email"`
	KeyID      string `json:"private_key_id"`
	PrivateKey string `json:"private_key"`
	TokenURI   string `json:"token_uri"`
}

// login exchanges a signed assertion for a token, as RFC 7523 has it. The
// library's own exchange heeds nobody's context.
func (k *Key) login(ctx context.Context, now time.Time) (string, time.Duration, error) {
	text, err := os.ReadFile(k.config.CredentialsFile)
	if err != nil {
		return "", 0, err
	}
	var a account
	if json.Unmarshal(text, &a) != nil || a.Type != "service_account" || a.Email == "" || a.TokenURI == "" {
		return "", 0, errors.New("the credentials file holds no service account")
	}
	assertion, err := a.sign(now)
	if err != nil {
		return "", 0, err
	}
	form := url.Values{"grant_type": {grantType}, "assertion": {assertion}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.TokenURI, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := k.http.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	var got struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, maxToken)).Decode(&got)
	if answer.StatusCode != http.StatusOK || err != nil || got.AccessToken == "" {
		return "", 0, fmt.Errorf("the login answered %d without a token", answer.StatusCode)
	}
	return got.AccessToken, time.Duration(got.ExpiresIn) * time.Second, nil
}

// sign makes the assertion: RS256 over who asks, whom, and for what.
func (a account) sign(now time.Time) (string, error) {
	key, err := a.key()
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": a.KeyID})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": a.Email, "scope": scope, "aud": a.TokenURI, "iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims)
	digest := sha256.Sum256([]byte(signed))
	// Nothing is random in this form of signature; the argument is a relic.
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// key reads both forms in which such keys are written.
func (a account) key() (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(a.PrivateKey))
	if block == nil {
		return nil, errors.New("the credentials file holds no private key")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the private key of the credentials file cannot be read")
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("the private key of the credentials file is not an RSA key")
	}
	return key, nil
}

// defaultToken asks for the machine's credentials. The library finds and renews
// them on a context of its own; the caller waits no longer than it wants to.
func (k *Key) defaultToken(ctx context.Context) (string, error) {
	select {
	case got := <-k.finding.DoChan("token", func() (any, error) { return k.findDefault() }):
		if got.Err != nil {
			return "", provider.Fail(provider.Unauthenticated, got.Err, "%s: no credentials, or they were refused", remote)
		}
		return got.Val.(string), nil
	case <-ctx.Done():
		return "", provider.Fail(provider.Unavailable, ctx.Err(), "%s: the login did not answer in time", remote)
	}
}

func (k *Key) findDefault() (string, error) {
	k.mu.Lock()
	source := k.defaults
	k.mu.Unlock()
	if source == nil {
		found, err := google.FindDefaultCredentials(context.Background(), scope)
		if err != nil {
			return "", err
		}
		source = found.TokenSource
	}
	t, err := source.Token()
	if err != nil {
		return "", err
	}
	k.mu.Lock()
	k.defaults = source
	k.mu.Unlock()
	return t.AccessToken, nil
}
