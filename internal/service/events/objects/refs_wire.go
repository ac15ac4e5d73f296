package objects

import (
	"strings"

	"stoa.dev/stoa/internal/forge"
)

// Branch is a branch in lists.
type Branch struct {
	Name      string `json:"name"`
	Commit    Object `json:"commit"`
	Protected bool   `json:"protected"`
}

// BranchLinks are where a branch is found.
type BranchLinks struct {
	Self string `json:"self"`
	HTML string `json:"html"`
}

// FullBranch is a branch alone.
type FullBranch struct {
	Name      string      `json:"name"`
	Commit    Commit      `json:"commit"`
	Links     BranchLinks `json:"_links"`
	Protected bool        `json:"protected"`
}

// Tag is a tag in lists.
type Tag struct {
	Name       string `json:"name"`
	Commit     Object `json:"commit"`
	ZipballURL string `json:"zipball_url"`
	TarballURL string `json:"tarball_url"`
	NodeID     string `json:"node_id"`
}

// Ref is a branch or tag under its name in full.
type Ref struct {
	Ref    string `json:"ref"`
	NodeID string `json:"node_id"`
	URL    string `json:"url"`
	Object Object `json:"object"`
}

// Ref is a named ref.
func (a RepoAddress) Ref(n forge.NamedRef) Ref {
	folder := map[string]string{"tag": "/git/tags/", "commit": "/git/commits/"}[n.Type]
	return Ref{
		Ref: n.Name, NodeID: a.RefNodeID(n.Name), URL: a.API + "/git/ref/" + EscapePath(strings.TrimPrefix(n.Name, "refs/")),
		Object: Object{SHA: n.SHA, Type: n.Type, URL: a.API + folder + n.SHA},
	}
}

// TagObject is an annotated tag.
type TagObject struct {
	NodeID       string       `json:"node_id"`
	Tag          string       `json:"tag"`
	SHA          string       `json:"sha"`
	URL          string       `json:"url"`
	Message      string       `json:"message"`
	Tagger       Signature    `json:"tagger"`
	Object       Object       `json:"object"`
	Verification Verification `json:"verification"`
}
