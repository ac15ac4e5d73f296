package pictures

import "stoa.dev/stoa/internal/platform/module"

// Key is where the bytes with a hash are kept.
func Key(hash string) string { return "snapshots/" + hash[:2] + "/" + hash + ".png" }

// BlobRows are the snapshots that were drawn, until they expire.
func BlobRows() []module.BlobRows {
	return []module.BlobRows{{Kind: "snapshot", Query: `
		SELECT id, 'snapshots/' || substr(sha256, 1, 2) || '/' || sha256 || '.png', -1, sha256 FROM snapshots_graphs
		WHERE id > $1 AND state = 'ready' AND (expires_at IS NULL OR expires_at > $3) ORDER BY id LIMIT $2`}}
}
