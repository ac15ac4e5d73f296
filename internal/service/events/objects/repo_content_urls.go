package objects

import (
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/forge"
)

// RepoAddress builds the addresses of one repository's content.
type RepoAddress struct {
	// API and Page are where its operations and its pages are.
	API, Page string
	base      string
	name      string
	id        int64
}

// AddressOf builds them; base is where operations begin.
func AddressOf(r forge.Repository, base string) RepoAddress {
	return RepoAddress{
		API: base + "/repos/" + r.FullName(), Page: Pages(base) + "/" + r.FullName(),
		base: base, name: r.FullName(), id: r.ID,
	}
}

// CommitNodeID and RefNodeID are the NodeIDs of a commit and of a branch or tag by its full name. Forks have the same
// commits, and branches of one commit are not the same.
func (a RepoAddress) CommitNodeID(sha string) string { return NamedNodeID("Commit", a.id, sha) }

// RefNodeID is CommitNodeID for a branch or a tag.
func (a RepoAddress) RefNodeID(name string) string { return NamedNodeID("Ref", a.id, name) }

// EscapePath escapes a file's path and keeps its slashes.
func EscapePath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// Raw is where a file is served as it is.
func (a RepoAddress) Raw(sha, path string) string {
	return a.base + "/raw/" + a.name + "/" + sha + "/" + EscapePath(path)
}

// Contents is where a file or folder is described.
func (a RepoAddress) Contents(path, ref string) string {
	return a.API + "/contents/" + EscapePath(path) + "?ref=" + url.QueryEscape(ref)
}

// Tree names a folder.
func (a RepoAddress) Tree(sha string) Object {
	return Object{SHA: sha, URL: a.API + "/git/trees/" + sha}
}
