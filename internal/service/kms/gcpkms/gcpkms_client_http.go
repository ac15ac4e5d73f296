//go:build !small

package gcpkms

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"cloud.google.com/go/auth"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	remote = "Google Cloud KMS"
	scope  = "https://www.googleapis.com/auth/cloudkms"
)

// Key is one key of the service.
type Key struct {
	config Config
	gate   *outbound.Gate
	client *provider.Client
	login  *provider.Login
	// tokens is made by the first login.
	tokens auth.TokenProvider
}

// New prepares the provider; it makes no call.
func New(c Config, gate *outbound.Gate) (*Key, error) {
	client, err := provider.NewClient(gate, remote, "")
	if err != nil {
		return nil, err
	}
	k := &Key{config: c, gate: gate, client: client}
	k.login = provider.NewLogin(remote, k.token)
	return k, nil
}

// Close ends the login and closes idle connections.
func (k *Key) Close() {
	k.login.Close()
	k.client.Close()
}

type keyVersion struct {
	Name       string `json:"name"`
	State      string `json:"state"`
	CreateTime string `json:"createTime"`
}

// Versions lists the enabled versions; the primary one is last, even if a
// newer one exists.
func (k *Key) Versions(ctx context.Context) ([]provider.Version, error) {
	var key struct {
		Purpose string     `json:"purpose"`
		Primary keyVersion `json:"primary"`
	}
	if err := k.call(ctx, http.MethodGet, k.config.Key, nil, &key); err != nil {
		return nil, err
	}
	if key.Purpose != "ENCRYPT_DECRYPT" || key.Primary.State != "ENABLED" {
		return nil, provider.NewError(provider.Disabled, nil,
			"%s: the key has no enabled primary version for encryption", remote)
	}
	all, err := k.list(ctx)
	if err != nil {
		return nil, err
	}
	sort.Slice(all, func(i, j int) bool { return all[i].CreateTime < all[j].CreateTime })
	var versions []provider.Version
	for _, v := range all {
		if v.State == "ENABLED" && v.Name != key.Primary.Name {
			versions = append(versions, version(v))
		}
	}
	return append(versions, version(key.Primary)), nil
}

func version(v keyVersion) provider.Version {
	return provider.Version{Name: v.Name, Stamp: v.Name + "@" + v.CreateTime}
}

func (k *Key) list(ctx context.Context) ([]keyVersion, error) {
	// 20 pages of 100 are more versions than a key has in a lifetime.
	const pages = 20
	var all []keyVersion
	page := ""
	for range pages {
		var got struct {
			CryptoKeyVersions []keyVersion `json:"cryptoKeyVersions"`
			NextPageToken     string       `json:"nextPageToken"`
		}
		path := k.config.Key + "/cryptoKeyVersions?pageSize=100"
		if page != "" {
			path += "&pageToken=" + url.QueryEscape(page)
		}
		if err := k.call(ctx, http.MethodGet, path, nil, &got); err != nil {
			return nil, err
		}
		all = append(all, got.CryptoKeyVersions...)
		if page = got.NextPageToken; page == "" {
			break
		}
	}
	return all, nil
}

type encryptRequest struct {
	Plaintext       []byte `json:"plaintext"`
	PlaintextCRC32C int64  `json:"plaintextCrc32c,string"`
	Data            []byte `json:"additionalAuthenticatedData"`
	DataCRC32C      int64  `json:"additionalAuthenticatedDataCrc32c,string"`
}

// Wrap encrypts under exactly this version.
func (k *Key) Wrap(ctx context.Context, version string, secret, binding []byte) ([]byte, error) {
	if !strings.HasPrefix(version, k.config.Key+"/cryptoKeyVersions/") {
		return nil, provider.NewError(provider.Disabled, nil, "%s: version %s is of another key", remote, version)
	}
	var got struct {
		Name              string `json:"name"`
		Ciphertext        []byte `json:"ciphertext"`
		CiphertextCRC32C  int64  `json:"ciphertextCrc32c,string"`
		VerifiedPlaintext bool   `json:"verifiedPlaintextCrc32c"`
		VerifiedData      bool   `json:"verifiedAdditionalAuthenticatedDataCrc32c"`
	}
	body := encryptRequest{secret, checksum(secret), binding, checksum(binding)}
	if err := k.call(ctx, http.MethodPost, version+":encrypt", body, &got); err != nil {
		return nil, err
	}
	verified := got.VerifiedPlaintext && got.VerifiedData && got.CiphertextCRC32C == checksum(got.Ciphertext)
	if got.Name != version || !verified {
		return nil, provider.NewError(provider.Unavailable, nil,
			"%s: the answer was altered on its way, or names another version", remote)
	}
	return got.Ciphertext, nil
}

type decryptRequest struct {
	Ciphertext       []byte `json:"ciphertext"`
	CiphertextCRC32C int64  `json:"ciphertextCrc32c,string"`
	Data             []byte `json:"additionalAuthenticatedData"`
	DataCRC32C       int64  `json:"additionalAuthenticatedDataCrc32c,string"`
}

// Unwrap lets the service find the version in the ciphertext.
func (k *Key) Unwrap(ctx context.Context, version string, wrapped, binding []byte) ([]byte, error) {
	key, _, ok := strings.Cut(version, "/cryptoKeyVersions/")
	if !ok {
		return nil, provider.NewError(provider.Disabled, nil, "%s: there is no version %s", remote, version)
	}
	var got struct {
		Plaintext       []byte `json:"plaintext"`
		PlaintextCRC32C int64  `json:"plaintextCrc32c,string"`
	}
	body := decryptRequest{wrapped, checksum(wrapped), binding, checksum(binding)}
	if err := k.call(ctx, http.MethodPost, key+":decrypt", body, &got); err != nil {
		return nil, err
	}
	if got.PlaintextCRC32C != checksum(got.Plaintext) {
		return nil, provider.NewError(provider.Unavailable, nil, "%s: the answer was altered on its way", remote)
	}
	return got.Plaintext, nil
}

// Rotate makes a new version and then the primary one.
func (k *Key) Rotate(ctx context.Context) error {
	var made keyVersion
	if err := k.call(ctx, http.MethodPost, k.config.Key+"/cryptoKeyVersions", struct{}{}, &made); err != nil {
		return err
	}
	_, number, ok := strings.Cut(made.Name, "/cryptoKeyVersions/")
	if _, err := strconv.Atoi(number); err != nil || !ok {
		return provider.NewError(provider.Unavailable, err, "%s: the new version has no number", remote)
	}
	body := map[string]string{"cryptoKeyVersionId": number}
	return k.call(ctx, http.MethodPost, k.config.Key+":updatePrimaryVersion", body, nil)
}

func checksum(b []byte) int64 {
	return int64(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func (k *Key) call(ctx context.Context, method, path string, body, out any) error {
	token, err := k.login.Token(ctx)
	if err != nil {
		return err
	}
	err = k.client.Do(ctx, provider.Call{
		Method: method, URL: k.config.Endpoint + "/v1/" + path, Body: body,
		Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token},
		Reason: reason, Kind: kind,
	}, out)
	if err != nil && provider.KindOf(err) == provider.Unauthenticated {
		k.login.Refused()
	}
	return err
}

type failure struct {
	Error struct {
		Message string `json:"message"`
		Status  string `json:"status"`
	} `json:"error"`
}

func reason(body []byte) string {
	var got failure
	if json.Unmarshal(body, &got) != nil {
		return ""
	}
	return strings.TrimSpace(got.Error.Status + " " + got.Error.Message)
}

// kind distinguishes a disabled key from a malformed request: both are 400.
func kind(_ int, reason string) provider.Kind {
	if strings.HasPrefix(reason, "FAILED_PRECONDITION") {
		return provider.Disabled
	}
	return ""
}
