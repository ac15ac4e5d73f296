//go:build !small

package attest

import (
	"context"
	"fmt"
	"os"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// Open makes the verifier that trusts the authorities and logs of a file in
// the trusted-root format.
func Open(file string) (source.Verifier, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("attest: trusted roots: %w", err)
	}
	trusted, err := root.NewTrustedRootFromJSON(text)
	if err != nil {
		return nil, fmt.Errorf("attest: trusted roots in %s: %w", file, err)
	}
	return New(trusted)
}

// New makes the verifier that trusts this material. A bundle must prove when
// it was signed and that a transparency log has seen it; where the material
// names certificate logs, one of those must have seen the certificate.
func New(trusted root.TrustedMaterial) (source.Verifier, error) {
	options := []verify.VerifierOption{verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1)}
	if len(trusted.CTLogs()) > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(1))
	}
	v, err := verify.NewVerifier(trusted, options...)
	if err != nil {
		return nil, fmt.Errorf("attest: %w", err)
	}
	return &verifier{v: v}, nil
}

type verifier struct{ v *verify.Verifier }

// Verify checks the bundle's signature, its certificate, its log entry and
// that it speaks about the file with this digest. Who signed is told by the
// attestation itself and is not judged.
func (v *verifier) Verify(_ context.Context, text []byte, digest catalog.Hash) (ok bool) {
	defer func() {
		// Bundles come from outside; none of them may end the process.
		if recover() != nil {
			ok = false
		}
	}()
	var b bundle.Bundle
	if b.UnmarshalJSON(text) != nil {
		return false
	}
	algorithm := algorithm(digest.Type)
	if algorithm == "" {
		return false
	}
	_, err := v.v.Verify(&b,
		verify.NewPolicy(verify.WithArtifactDigest(algorithm, digest.Digest), verify.WithoutIdentitiesUnsafe()))
	return err == nil
}

// algorithm is the name statements use for a hash type. The two weak ones
// prove nothing.
func algorithm(t catalog.HashType) string {
	switch t {
	case catalog.SHA256:
		return "sha256"
	case catalog.SHA512:
		return "sha512"
	case catalog.MD5, catalog.SHA1:
	}
	return ""
}
