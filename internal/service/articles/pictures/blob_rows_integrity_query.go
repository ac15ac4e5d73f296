package pictures

import "stoa.dev/stoa/internal/platform/module"

// BlobRows are the pictures that were not deleted.
func BlobRows() []module.BlobRows {
	return []module.BlobRows{{Kind: "picture", Query: `
		SELECT id, 'articles/pictures/' || id, bytes, '' FROM articles_pictures
		WHERE id > $1 AND NOT deleted ORDER BY id LIMIT $2`}}
}
