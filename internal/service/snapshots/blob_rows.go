package snapshots

import "stoa.dev/stoa/internal/platform/module"

// blobRows are the snapshots that were drawn, until they expire.
func blobRows() []module.BlobRows {
	return []module.BlobRows{{Kind: "snapshot", Query: `
		SELECT id, 'snapshots/' || substr(sha256, 1, 2) || '/' || sha256 || '.png', -1, sha256 FROM snapshots_graphs
		WHERE id > $1 AND state = 'ready' AND (expires_at IS NULL OR expires_at > $3) ORDER BY id LIMIT $2`}}
}
