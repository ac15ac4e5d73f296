package docs

import "embed"

// Files are the pages, their pictures and the OpenAPI descriptions.
//
//go:embed *.md *.svg world.schema.json adr/*.md services openapi
var Files embed.FS
