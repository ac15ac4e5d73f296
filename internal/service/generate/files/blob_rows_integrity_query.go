package files

import "stoa.dev/stoa/internal/platform/module"

// BlobRows are the files, until they expire.
func BlobRows() []module.BlobRows {
	return []module.BlobRows{{Kind: "file", Query: `SELECT blob, blob, size, sha256 FROM generate_files
		WHERE blob > $1 AND expires_at > $3 ORDER BY blob LIMIT $2`}}
}
