package packages

import "stoa.dev/stoa/internal/service/packages/catalog"

// The bounds of the contract.
const (
	maxBatch          = 5000
	maxQueryResults   = 1000
	maxProjectResults = 1500
)

// Selection is what a Query asks for: by name, by hash, or both.
type Selection struct {
	// System, Name and Version are empty when not given.
	System  catalog.System
	Name    string
	Version string
	// Hash has no type when none is given.
	Hash catalog.Hash
}

func (q Selection) byHash() bool { return q.Hash.Type != "" }
