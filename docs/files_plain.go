//go:build !packed

package docs

import (
	"embed"
	"io/fs"
)

//go:embed *.md *.svg *.png world.schema.json adr/*.md services openapi
var plain embed.FS

func opened() fs.FS { return plain }
