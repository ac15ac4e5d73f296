package runner

import "stoa.dev/stoa/internal/platform/module"

// BlobRows are the rows whose bytes are in the blob store: until they expire, because the bytes do so too.
func BlobRows() []module.BlobRows {
	return []module.BlobRows{
		{Kind: "artifact", Query: `SELECT blob_key, blob_key, size, '' FROM pipelines_artifacts
			WHERE blob_key > $1 AND expires_at > $3 ORDER BY blob_key LIMIT $2`},
		{Kind: "cache", Query: `SELECT blob_key, blob_key, size, '' FROM pipelines_caches
			WHERE blob_key > $1 AND expires_at > $3 ORDER BY blob_key LIMIT $2`},
		{Kind: "workspace layer", Query: `SELECT blob_key, blob_key, size, '' FROM pipelines_layers
			WHERE blob_key > $1 AND expires_at > $3 ORDER BY blob_key LIMIT $2`},
	}
}
