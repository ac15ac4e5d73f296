package kms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/service/kms/provider"
)

// Provider keeps key-encryption keys that never leave it. The binding is
// additional data that a wrapped key only opens with, where the remote can.
// Failures are of type *provider.Error.
type Provider interface {
	// Versions lists the versions that can unwrap, oldest first. The last one
	// is the one to wrap with.
	Versions(ctx context.Context) ([]provider.Version, error)
	// Wrap encrypts a data key under exactly this version.
	Wrap(ctx context.Context, version string, secret, binding []byte) ([]byte, error)
	// Unwrap is the inverse of Wrap.
	Unwrap(ctx context.Context, version string, wrapped, binding []byte) ([]byte, error)
	// Rotate makes a new version, which Versions then lists last.
	Rotate(ctx context.Context) error
	// Close closes connections.
	Close()
}

// The values of kms.provider.
const (
	ProviderLocal   = "local"
	ProviderTransit = "transit"
	ProviderAWSKMS  = "awskms"
	ProviderGCPKMS  = "gcpkms"
	ProviderAzureKV = "azurekv"
)

// Key is one published key-encryption key.
type Key struct {
	// ID is public: callers store it beside what they encrypt.
	ID string
	// Seq is the order of publication; 0 for keys never published here.
	Seq int64
	// Provider, Version and Stamp identify the provider's key; see provider.Version.
	Provider, Version, Stamp string
	// Material is the sealed key of the local provider.
	Material []byte
	// CreatedAt is when it was published; DestroyedAt is zero until it is destroyed.
	CreatedAt, DestroyedAt time.Time
}

// idDigits is 128 bits: enough that no id is drawn twice.
const idDigits = 32

// maxGenerations bounds how often one version of a remote key can become current
// again; each time it gets another id.
const maxGenerations = 8

// remoteID names a version of a remote key. It is derived and not drawn, so
// that several processes with stores of their own agree on it. The generation
// counts how often the version became current.
func remoteID(name string, v provider.Version, generation int) string {
	h := sha256.New()
	for _, part := range []string{"stoa kms key id v1", name, v.Name, v.Stamp, strconv.Itoa(generation)} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return name + "-" + hex.EncodeToString(h.Sum(nil))[:idDigits]
}

// Sealed is the answer to Encrypt.
type Sealed struct {
	Ciphertext []byte
	KeyID      string
	// Annotations are shared between answers and must not be changed.
	Annotations map[string][]byte
}

// Health is the answer to Status.
type Health struct {
	// Text is "ok", or says what is wrong.
	Text  string
	KeyID string
}

// Healthy is the text that callers take for health.
const Healthy = "ok"
