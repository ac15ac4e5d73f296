package transit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// remote is how messages name the server.
const remote = "transit"

// Transit is one key of a transit engine.
type Transit struct {
	config  Config
	client  *provider.Client
	session session
}

// New prepares the provider; it makes no call.
func New(c Config, now clock.Clock, gate *outbound.Gate) (*Transit, error) {
	client, err := provider.NewClient(gate, remote, c.CAFile)
	if err != nil {
		return nil, err
	}
	t := &Transit{config: c, client: client}
	t.session = session{config: c, clock: now, send: t.send}
	return t, nil
}

// Close closes idle connections.
func (t *Transit) Close() { t.client.Close() }

type keyAnswer struct {
	Data struct {
		Type          string                     `json:"type"`
		LatestVersion int                        `json:"latest_version"`
		MinDecryption int                        `json:"min_decryption_version"`
		Keys          map[string]json.RawMessage `json:"keys"`
	} `json:"data"`
}

// Versions lists the versions that may decrypt. The stamp has the creation time, so
// that a key that was made again under an old name is another key.
func (t *Transit) Versions(ctx context.Context) ([]provider.Version, error) {
	var got keyAnswer
	if err := t.call(ctx, http.MethodGet, "keys/"+t.config.Key, nil, &got); err != nil {
		return nil, err
	}
	if !authenticates(got.Data.Type) {
		return nil, provider.NewError(provider.Disabled, nil,
			"transit key %s is of type %q; use aes256-gcm96 or another that authenticates", t.config.Key, got.Data.Type)
	}
	var numbers []int
	for text := range got.Data.Keys {
		n, err := strconv.Atoi(text)
		if err == nil && n >= got.Data.MinDecryption && n <= got.Data.LatestVersion {
			numbers = append(numbers, n)
		}
	}
	sort.Ints(numbers)
	if len(numbers) == 0 || numbers[len(numbers)-1] != got.Data.LatestVersion {
		return nil, provider.NewError(provider.Disabled, nil, "transit key %s has no version to encrypt with",
			t.config.Key)
	}
	versions := make([]provider.Version, len(numbers))
	for i, n := range numbers {
		name := strconv.Itoa(n)
		made := strings.Trim(string(got.Data.Keys[name]), `"`)
		versions[i] = provider.Version{Name: name, Stamp: t.config.Mount + "/" + t.config.Key + "@" + made}
	}
	return versions, nil
}

// authenticates reports whether the type is symmetric and detects altered ciphertext.
func authenticates(kind string) bool {
	switch kind {
	case "aes128-gcm96", "aes256-gcm96", "chacha20-poly1305", "xchacha20-poly1305":
		return true
	}
	return false
}

type encryptRequest struct {
	Plaintext      string `json:"plaintext"`
	AssociatedData string `json:"associated_data"`
	KeyVersion     int    `json:"key_version"`
}

// Wrap pins the version: asking for the latest afterwards could name another.
func (t *Transit) Wrap(ctx context.Context, version string, secret, binding []byte) ([]byte, error) {
	n, err := strconv.Atoi(version)
	if err != nil {
		return nil, provider.NewError(provider.Disabled, err, "transit has no key version %q", version)
	}
	var got struct {
		Data struct {
			Ciphertext string `json:"ciphertext"`
		} `json:"data"`
	}
	body := encryptRequest{
		Plaintext: base64.StdEncoding.EncodeToString(secret), KeyVersion: n,
		AssociatedData: base64.StdEncoding.EncodeToString(binding),
	}
	if err := t.call(ctx, http.MethodPost, "encrypt/"+t.config.Key, body, &got); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(got.Data.Ciphertext, prefix(version)) {
		return nil, provider.NewError(provider.Unavailable, nil, "transit encrypted under another version than %s",
			version)
	}
	return []byte(got.Data.Ciphertext), nil
}

type decryptRequest struct {
	Ciphertext     string `json:"ciphertext"`
	AssociatedData string `json:"associated_data"`
}

// Unwrap refuses what names another version before it asks the server.
func (t *Transit) Unwrap(ctx context.Context, version string, wrapped, binding []byte) ([]byte, error) {
	if !strings.HasPrefix(string(wrapped), prefix(version)) {
		return nil, provider.NewError(provider.Refused, nil, "the wrapped key does not name transit key version %s",
			version)
	}
	var got struct {
		Data struct {
			Plaintext string `json:"plaintext"`
		} `json:"data"`
	}
	body := decryptRequest{Ciphertext: string(wrapped), AssociatedData: base64.StdEncoding.EncodeToString(binding)}
	if err := t.call(ctx, http.MethodPost, "decrypt/"+t.config.Key, body, &got); err != nil {
		return nil, err
	}
	secret, err := base64.StdEncoding.DecodeString(got.Data.Plaintext)
	if err != nil {
		return nil, provider.NewError(provider.Unavailable, nil, "transit: the answer is not the JSON we expect")
	}
	return secret, nil
}

// prefix opens every ciphertext of a version, on both kinds of servers.
func prefix(version string) string { return "vault:v" + version + ":" }

// Rotate makes a new version.
func (t *Transit) Rotate(ctx context.Context) error {
	return t.call(ctx, http.MethodPost, "keys/"+t.config.Key+"/rotate", struct{}{}, nil)
}

// call sends a request below the mount, with one more attempt when a token
// that we can replace was refused.
func (t *Transit) call(ctx context.Context, method, path string, body, out any) error {
	token, err := t.session.token(ctx)
	if err != nil {
		return err
	}
	err = t.send(ctx, method, t.config.Mount+"/"+path, token, body, out)
	if provider.KindOf(err) != provider.Denied || err == nil || !t.session.forget(token) {
		return err
	}
	again, failed := t.session.token(ctx)
	if failed != nil || again == token {
		return err
	}
	return t.send(ctx, method, t.config.Mount+"/"+path, again, body, out)
}

// send is one request to the server.
func (t *Transit) send(ctx context.Context, method, path, token string, body, out any) error {
	header := http.Header{"X-Vault-Request": {"true"}}
	if token != "" {
		header.Set("X-Vault-Token", token)
	}
	if t.config.Namespace != "" {
		header.Set("X-Vault-Namespace", t.config.Namespace)
	}
	return t.client.Do(ctx, provider.Call{
		Method: method, URL: strings.TrimSuffix(t.config.Address, "/") + "/v1/" + path,
		Header: header, Body: body, Secrets: []string{token}, Reason: reason, Kind: kind,
	}, out)
}

func reason(body []byte) string {
	var got struct {
		Errors []string `json:"errors"`
	}
	if json.Unmarshal(body, &got) != nil {
		return ""
	}
	return strings.Join(got.Errors, "; ")
}

// kind separates what this server answers with 400: a key that is not
// there, a version that may no longer decrypt, a ciphertext that was altered.
func kind(status int, reason string) provider.Kind {
	if status != http.StatusBadRequest {
		return ""
	}
	for _, text := range []string{
		"encryption key not found", "version is too old", "version is disallowed", "no longer",
	} {
		if strings.Contains(reason, text) {
			return provider.Disabled
		}
	}
	return provider.Refused
}
