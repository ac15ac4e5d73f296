//go:build !small

package awskms

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	remote = "AWS KMS"
	// bindingName is the name of the encryption context's one entry.
	bindingName = "stoa-kms-binding"
)

// Key is one key of the service.
type Key struct {
	config Config
	client *provider.Client
	clock  clock.Clock
	signer *v4.Signer

	mu          sync.Mutex
	credentials aws.CredentialsProvider
}

// New prepares the provider; it makes no call. Nil credentials mean the machine's.
func New(c Config, now clock.Clock, credentials aws.CredentialsProvider, gate *outbound.Gate) (*Key, error) {
	client, err := provider.NewClient(gate, remote, "")
	if err != nil {
		return nil, err
	}
	return &Key{config: c, client: client, clock: now, signer: v4.NewSigner(), credentials: credentials}, nil
}

// Close closes idle connections.
func (k *Key) Close() { k.client.Close() }

type keyRequest struct {
	KeyID string `json:"KeyId"`
}

// Versions lists the materials, the current one last.
func (k *Key) Versions(ctx context.Context) ([]provider.Version, error) {
	var got struct {
		KeyMetadata struct {
			Arn                  string
			KeyState             string
			KeyUsage             string
			KeySpec              string
			CurrentKeyMaterialID string `json:"CurrentKeyMaterialId"`
		}
	}
	if err := k.call(ctx, "DescribeKey", keyRequest{k.config.Key}, &got); err != nil {
		return nil, err
	}
	m := got.KeyMetadata
	if m.KeyState != "Enabled" || m.KeyUsage != "ENCRYPT_DECRYPT" || m.KeySpec != "SYMMETRIC_DEFAULT" || m.Arn == "" {
		return nil, provider.NewError(provider.Disabled, nil,
			"%s: the key is %q for %q, want an enabled symmetric key for encryption", remote, m.KeyState, m.KeyUsage)
	}
	var versions []provider.Version
	for _, material := range k.materials(ctx) {
		if material != m.CurrentKeyMaterialID {
			versions = append(versions, version(m.Arn, material))
		}
	}
	return append(versions, version(m.Arn, m.CurrentKeyMaterialID)), nil
}

// version names a material; keys without one have a single version.
func version(arn, material string) provider.Version {
	if material == "" {
		material = "1"
	}
	return provider.Version{Name: material, Stamp: arn + "@" + material}
}

// materials lists what may be listed: without the permission only a plugin with an
// empty store lacks something.
func (k *Key) materials(ctx context.Context) []string {
	var got struct {
		Rotations []struct {
			KeyMaterialID string `json:"KeyMaterialId"`
		}
	}
	in := struct {
		KeyID   string `json:"KeyId"`
		Include string `json:"IncludeKeyMaterial"`
		Limit   int
	}{k.config.Key, "ALL_KEY_MATERIAL", 1000}
	if err := k.call(ctx, "ListKeyRotations", in, &got); err != nil {
		return nil
	}
	var list []string
	for _, r := range got.Rotations {
		if r.KeyMaterialID != "" {
			list = append(list, r.KeyMaterialID)
		}
	}
	return list
}

type cipherRequest struct {
	KeyID             string            `json:"KeyId"`
	Plaintext         []byte            `json:",omitempty"`
	CiphertextBlob    []byte            `json:",omitempty"`
	EncryptionContext map[string]string `json:"EncryptionContext"`
}

// Wrap encrypts; the service uses the current material.
func (k *Key) Wrap(ctx context.Context, _ string, secret, binding []byte) ([]byte, error) {
	var got struct{ CiphertextBlob []byte }
	in := cipherRequest{KeyID: k.config.Key, Plaintext: secret, EncryptionContext: bound(binding)}
	err := k.call(ctx, "Encrypt", in, &got)
	return got.CiphertextBlob, err
}

// Unwrap names the key, so that the service refuses what another encrypted.
func (k *Key) Unwrap(ctx context.Context, _ string, wrapped, binding []byte) ([]byte, error) {
	var got struct{ Plaintext []byte }
	in := cipherRequest{KeyID: k.config.Key, CiphertextBlob: wrapped, EncryptionContext: bound(binding)}
	err := k.call(ctx, "Decrypt", in, &got)
	return got.Plaintext, err
}

// bound is the encryption context, which consists of texts.
func bound(binding []byte) map[string]string {
	return map[string]string{bindingName: base64.StdEncoding.EncodeToString(binding)}
}

// Rotate asks for new material; the service needs a while to make it.
func (k *Key) Rotate(ctx context.Context) error {
	return k.call(ctx, "RotateKeyOnDemand", keyRequest{k.config.Key}, nil)
}

func (k *Key) call(ctx context.Context, operation string, body, out any) error {
	credentials, err := k.retrieve(ctx)
	if err != nil {
		return provider.NewError(provider.Unauthenticated, err, "%s: no credentials were found", remote)
	}
	return k.client.Do(ctx, provider.Call{
		Method: http.MethodPost, URL: k.config.endpoint(), Body: body,
		Header: http.Header{
			"Content-Type": {"application/x-amz-json-1.1"}, "X-Amz-Target": {"TrentService." + operation},
		},
		Prepare: func(r *http.Request, body []byte) error {
			sum := sha256.Sum256(body)
			return k.signer.SignHTTP(ctx, credentials, r, hex.EncodeToString(sum[:]),
				"kms", k.config.Region, k.clock.Now())
		},
		Secrets: []string{credentials.SecretAccessKey, credentials.SessionToken}, Reason: reason, Kind: kind,
	}, out)
}

// retrieve loads the SDK's chain when credentials are first needed; the chain
// caches and renews them.
func (k *Key) retrieve(ctx context.Context) (aws.Credentials, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.credentials == nil {
		loaded, err := config.LoadDefaultConfig(ctx,
			config.WithRegion(k.config.Region), config.WithHTTPClient(k.client.LoginClient()))
		if err != nil {
			return aws.Credentials{}, err
		}
		k.credentials = loaded.Credentials
	}
	return k.credentials.Retrieve(ctx)
}

func reason(body []byte) string {
	var got struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &got) != nil {
		return ""
	}
	_, name, ok := strings.Cut(got.Type, "#")
	if !ok {
		name = got.Type
	}
	return strings.TrimSpace(name + " " + got.Message)
}

// kind reads the exception's name: the status is 400 for nearly all.
func kind(_ int, reason string) provider.Kind {
	name, _, _ := strings.Cut(reason, " ")
	switch name {
	case "NotFoundException", "DisabledException", "KMSInvalidStateException", "InvalidKeyUsageException":
		return provider.Disabled
	case "AccessDeniedException":
		return provider.Denied
	case "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException",
		"IncompleteSignatureException", "InvalidClientTokenId", "MissingAuthenticationTokenException":
		return provider.Unauthenticated
	case "ThrottlingException", "LimitExceededException":
		return provider.Throttled
	case "InvalidCiphertextException", "IncorrectKeyException":
		return provider.Refused
	case "KMSInternalException", "DependencyTimeoutException", "KeyUnavailableException":
		return provider.Unavailable
	}
	return ""
}
