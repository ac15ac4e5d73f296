package azurekv

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	remote     = "Azure Key Vault"
	apiVersion = "7.4"
	algorithm  = "RSA-OAEP-256"
	resource   = "https://vault.azure.net"

	// early is how long before its end a token is replaced.
	early = 5 * time.Minute
)

// Key is one key of a vault.
type Key struct {
	config Config
	client *provider.Client
	clock  clock.Clock

	mu     sync.Mutex
	token  string
	endsAt time.Time
}

// New prepares the provider; it calls nobody.
func New(c Config, now clock.Clock, gate *outbound.Gate) (*Key, error) {
	client, err := provider.NewClient(gate, remote, "")
	if err != nil {
		return nil, err
	}
	return &Key{config: c, client: client, clock: now}, nil
}

// Close lets go of idle connections.
func (k *Key) Close() { k.client.Close() }

type listed struct {
	ID         string `json:"kid"`
	Attributes struct {
		Enabled bool  `json:"enabled"`
		Created int64 `json:"created"`
	} `json:"attributes"`
}

// Versions lists the enabled versions by age; the youngest is the one the
// vault itself would use.
func (k *Key) Versions(ctx context.Context) ([]provider.Version, error) {
	const pages = 20
	var all []listed
	next := k.config.Vault + "/keys/" + k.config.Key + "/versions?maxresults=25&api-version=" + apiVersion
	for range pages {
		var got struct {
			Value    []listed `json:"value"`
			NextLink string   `json:"nextLink"`
		}
		if err := k.call(ctx, http.MethodGet, next, nil, &got); err != nil {
			return nil, err
		}
		all = append(all, got.Value...)
		if next = got.NextLink; next == "" {
			break
		}
		// A link elsewhere would carry our token there. A list that is cut
		// short would hide the youngest version.
		if !sameHost(next, k.config.Vault) {
			return nil, provider.Fail(provider.Unavailable, nil, "%s: the list of versions goes on elsewhere", remote)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Attributes.Created < all[j].Attributes.Created })
	var versions []provider.Version
	for _, v := range all {
		if v.Attributes.Enabled {
			versions = append(versions, provider.Version{
				Name: path.Base(v.ID), Stamp: v.ID + "@" + strconv.FormatInt(v.Attributes.Created, 10),
			})
		}
	}
	if len(versions) == 0 {
		return nil, provider.Fail(provider.Disabled, nil, "%s: key %s has no enabled version", remote, k.config.Key)
	}
	return versions, nil
}

// sameHost reports whether two addresses are of one server. The vault names its
// port in links, whether or not it was asked for with one.
func sameHost(a, b string) bool {
	origin := func(address string) (string, bool) {
		u, err := url.Parse(address)
		if err != nil || u.User != nil || u.Host == "" {
			return "", false
		}
		port := u.Port()
		if port == "" && u.Scheme == "https" {
			port = "443"
		}
		return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port), true
	}
	one, fine := origin(a)
	other, ok := origin(b)
	return fine && ok && one == other
}

type operation struct {
	Algorithm string `json:"alg"`
	Value     string `json:"value"`
}

// Wrap wraps under exactly this version.
func (k *Key) Wrap(ctx context.Context, version string, secret, _ []byte) ([]byte, error) {
	return k.operate(ctx, version, "wrapkey", secret)
}

// Unwrap is the inverse of Wrap.
func (k *Key) Unwrap(ctx context.Context, version string, wrapped, _ []byte) ([]byte, error) {
	return k.operate(ctx, version, "unwrapkey", wrapped)
}

func (k *Key) operate(ctx context.Context, version, name string, value []byte) ([]byte, error) {
	if !keyName.MatchString(version) {
		return nil, provider.Fail(provider.Disabled, nil, "%s: there is no version %q", remote, version)
	}
	id := k.config.Vault + "/keys/" + k.config.Key + "/" + version
	var got struct {
		ID    string `json:"kid"`
		Value string `json:"value"`
	}
	body := operation{Algorithm: algorithm, Value: base64.RawURLEncoding.EncodeToString(value)}
	if err := k.call(ctx, http.MethodPost, id+"/"+name+"?api-version="+apiVersion, body, &got); err != nil {
		return nil, err
	}
	out, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(got.Value, "="))
	if err != nil || path.Base(got.ID) != version {
		return nil, provider.Fail(provider.Unavailable, nil, "%s: the answer names another version, or is not what we expect", remote)
	}
	return out, nil
}

// Rotate makes a new version.
func (k *Key) Rotate(ctx context.Context) error {
	return k.call(ctx, http.MethodPost, k.config.Vault+"/keys/"+k.config.Key+"/rotate?api-version="+apiVersion, struct{}{}, nil)
}

func (k *Key) call(ctx context.Context, method, address string, body, out any) error {
	token, err := k.bearer(ctx)
	if err != nil {
		return err
	}
	err = k.client.Do(ctx, provider.Call{
		Method: method, URL: address, Body: body,
		Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token}, Reason: reason, Kind: kind,
	}, out)
	if err != nil && provider.KindOf(err) == provider.Unauthenticated {
		k.forget(token)
	}
	return err
}

// forget drops a token that was refused; the next call has another one.
func (k *Key) forget(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.token == token {
		k.token = ""
	}
}

// bearer is a token that lives for a while yet.
func (k *Key) bearer(ctx context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.Now()
	if k.token != "" && now.Before(k.endsAt.Add(-early)) {
		return k.token, nil
	}
	var (
		token string
		life  time.Duration
		err   error
	)
	if k.config.TenantID != "" {
		token, life, err = k.login(ctx)
	} else {
		token, life, err = k.managed(ctx)
	}
	if err != nil {
		return "", err
	}
	k.token, k.endsAt = token, now.Add(life)
	return token, nil
}

// login is OAuth 2.0 client credentials.
func (k *Key) login(ctx context.Context) (string, time.Duration, error) {
	secret, err := os.ReadFile(k.config.ClientSecretFile)
	if err != nil {
		return "", 0, provider.Fail(provider.Unauthenticated, err, "%s: the client secret cannot be read", remote)
	}
	c := clientcredentials.Config{
		ClientID: k.config.ClientID, ClientSecret: strings.TrimSpace(string(secret)),
		TokenURL: k.config.Login + "/" + url.PathEscape(k.config.TenantID) + "/oauth2/v2.0/token", Scopes: []string{resource + "/.default"},
	}
	t, err := c.Token(ctx)
	if err != nil {
		return "", 0, provider.Fail(provider.Unauthenticated, err, "%s: the login was refused or did not answer", remote)
	}
	return t.AccessToken, time.Duration(t.ExpiresIn) * time.Second, nil
}

// managed asks the machine for its identity's token.
func (k *Key) managed(ctx context.Context) (string, time.Duration, error) {
	query := url.Values{"api-version": {"2018-02-01"}, "resource": {resource}}
	if k.config.ClientID != "" {
		query.Set("client_id", k.config.ClientID)
	}
	var got struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   string `json:"expires_in"`
	}
	err := k.client.Do(ctx, provider.Call{
		Method: http.MethodGet, URL: k.config.Identity + "/metadata/identity/oauth2/token?" + query.Encode(), Header: http.Header{"Metadata": {"true"}},
	}, &got)
	if err != nil || got.AccessToken == "" {
		return "", 0, provider.Fail(provider.Unauthenticated, err, "%s: the machine has no managed identity", remote)
	}
	seconds, err := strconv.Atoi(got.ExpiresIn)
	if err != nil {
		seconds = 0
	}
	return got.AccessToken, time.Duration(seconds) * time.Second, nil
}

func reason(body []byte) string {
	var got struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &got) != nil {
		return ""
	}
	return strings.TrimSpace(got.Error.Code + " " + got.Error.Message)
}

// kind tells a disabled key from a missing permission: both are 403.
func kind(status int, reason string) provider.Kind {
	if status == http.StatusForbidden && strings.Contains(strings.ToLower(reason), "disabled") {
		return provider.Disabled
	}
	return ""
}
