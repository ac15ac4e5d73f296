package signing

import "stoa.dev/stoa/internal/platform/module"

// purpose is that of the box that seals private keys.
const purpose = "identity signing keys"

// SealedRows are the private keys.
func SealedRows() module.SealedRows {
	return module.SealedRows{Kind: "key for id tokens", Purpose: purpose, Query: `
		SELECT id, 'identity_signing_keys ' || id, sealed FROM identity_signing_keys WHERE id > $1 ORDER BY id LIMIT $2`}
}
