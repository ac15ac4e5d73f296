package attest

import (
	"context"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// New makes the verifier for a file of trusted roots; an empty name makes one
// that verifies nothing.
func New(string) source.Verifier { return nothing{} }

// nothing verifies nothing.
type nothing struct{}

func (nothing) Verify(context.Context, []byte, catalog.Hash) bool { return false }
