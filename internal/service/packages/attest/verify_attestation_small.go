//go:build small

package attest

import (
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/packages/source"
)

// Open refuses: the small build cannot check bundles.
func Open(string) (source.Verifier, error) {
	return nil, &smallbuild.Error{Part: smallbuild.Attestations}
}
