//go:build !small

package azurekv

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"sort"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	remote     = "Azure Key Vault"
	apiVersion = "7.4"
	algorithm  = "RSA-OAEP-256"
)

// Key is one key of a vault.
type Key struct {
	config Config
	client *provider.Client
	login  *provider.Login
	// credential is made by the first login.
	credential azcore.TokenCredential
}

// New prepares the provider; it makes no call.
func New(c Config, gate *outbound.Gate) (*Key, error) {
	client, err := provider.NewClient(gate, remote, "")
	if err != nil {
		return nil, err
	}
	k := &Key{config: c, client: client}
	k.login = provider.NewLogin(remote, k.token)
	return k, nil
}

// Close ends the login and closes idle connections.
func (k *Key) Close() {
	k.login.Close()
	k.client.Close()
}

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
		// A link to another server would carry our token there. A list that is cut
		// short would hide the youngest version.
		if !sameHost(next, k.config.Vault) {
			return nil, provider.NewError(provider.Unavailable, nil,
				"%s: the list of versions goes on at another server", remote)
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
		return nil, provider.NewError(provider.Disabled, nil, "%s: key %s has no enabled version", remote, k.config.Key)
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
	one, oneOK := origin(a)
	other, otherOK := origin(b)
	return oneOK && otherOK && one == other
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
		return nil, provider.NewError(provider.Disabled, nil, "%s: there is no version %q", remote, version)
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
		return nil, provider.NewError(provider.Unavailable, nil,
			"%s: the answer names another version, or is not what we expect", remote)
	}
	return out, nil
}

// Rotate makes a new version.
func (k *Key) Rotate(ctx context.Context) error {
	address := k.config.Vault + "/keys/" + k.config.Key + "/rotate?api-version=" + apiVersion
	return k.call(ctx, http.MethodPost, address, struct{}{}, nil)
}

func (k *Key) call(ctx context.Context, method, address string, body, out any) error {
	token, err := k.login.Token(ctx)
	if err != nil {
		return err
	}
	err = k.client.Do(ctx, provider.Call{
		Method: method, URL: address, Body: body,
		Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token},
		Reason: reason, Kind: kind,
	}, out)
	if err != nil && provider.KindOf(err) == provider.Unauthenticated {
		k.login.Refused()
	}
	return err
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

// kind distinguishes a disabled key from a missing permission: both are 403.
func kind(status int, reason string) provider.Kind {
	if status == http.StatusForbidden && strings.Contains(strings.ToLower(reason), "disabled") {
		return provider.Disabled
	}
	return ""
}
