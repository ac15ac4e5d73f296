package forge

import "stoa.dev/stoa/internal/forge/contents"

// What repositories hold; see package contents.
type (
	Commit      = contents.Commit
	Comparison  = contents.Comparison
	Contributor = contents.Contributor
	Entry       = contents.Entry
	FileChange  = contents.FileChange
	LogQuery    = contents.LogQuery
	NamedRef    = contents.NamedRef
	Ref         = contents.Ref
	Signature   = contents.Signature
	TagObject   = contents.TagObject
)

const (
	heads = contents.Heads
	tags  = contents.Tags
)

// RefType is branch or tag.
func RefType(ref string) string { return contents.RefType(ref) }

// ShortRef is the name without refs/heads/ or refs/tags/.
func ShortRef(ref string) string { return contents.ShortRef(ref) }
