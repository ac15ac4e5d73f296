package vcs

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/dialect"
)

// Base is the path of the API; version 1.1 brought the vcs-type segment.
const Base = "/api/v1.1"

// Kind is one of the two systems.
type Kind uint8

// The systems, of which the first answers where a request names none.
const (
	A Kind = iota
	B
)

// Names are the words of both systems in the server's dialect, indexed by Kind. Its
// addresses begin with the base that they are given.
type Names struct {
	// sdk is set for official clients, which take addresses apart and expect the public hosts.
	sdk                  bool
	types, shorts, hosts [2]string
	typeNames            [2][]string
	shortNames           [2][]string
}

// New looks up the words.
func New(d *dialect.Dialect) *Names {
	return &Names{
		sdk:        d.SDK(),
		types:      [2]string{d.Says(dialect.VCSAType), d.Says(dialect.VCSBType)},
		shorts:     [2]string{d.Says(dialect.VCSAShort), d.Says(dialect.VCSBShort)},
		hosts:      [2]string{d.Says(dialect.VCSAHost), d.Says(dialect.VCSBHost)},
		typeNames:  [2][]string{d.Accepts(dialect.VCSA), d.Accepts(dialect.VCSB)},
		shortNames: [2][]string{d.Accepts(dialect.VCSAShort), d.Accepts(dialect.VCSBShort)},
	}
}

// Parse reads the vcs-type segment of an API path.
func (n *Names) Parse(name string) (Kind, bool) { return find(n.typeNames, name) }

// ParseShort reads the first segment of a page's path.
func (n *Names) ParseShort(name string) (Kind, bool) { return find(n.shortNames, name) }

func find(names [2][]string, name string) (Kind, bool) {
	for k, list := range names {
		if slices.Contains(list, name) {
			return Kind(k), true
		}
	}
	return A, false
}

// Segments are the vcs-type segments that API paths are written with.
func (n *Names) Segments() [2]string { return [2]string{n.typeNames[A][0], n.typeNames[B][0]} }

// PagePrefixes are the first segments of pages, each with its slash.
func (n *Names) PagePrefixes() []string {
	var list []string
	for _, names := range n.shortNames {
		for _, name := range names {
			list = append(list, "/"+name)
		}
	}
	return list
}

// Type is the vcs_type of answers.
func (n *Names) Type(k Kind) string { return n.types[k] }

// RepoURL is where the code is: the public host for official clients, otherwise an address that git can clone.
func (n *Names) RepoURL(base string, r forge.Repository, k Kind) string {
	if n.sdk {
		return "https://" + n.hosts[k] + "/" + r.FullName()
	}
	return GitURL(base, r)
}

// GitURL is an address that git can clone.
func GitURL(base string, r forge.Repository) string { return base + "/git/" + r.FullName() }

// PageRoot is the path of the page of all projects.
func (n *Names) PageRoot(k Kind) string { return "/" + n.shorts[k] }

// PagePath is the path of a project's page.
func (n *Names) PagePath(r forge.Repository, k Kind) string {
	return n.PageRoot(k) + "/" + r.FullName()
}

// BuildPath is the path of a job's page.
func (n *Names) BuildPath(r forge.Repository, k Kind, num int64) string {
	return n.PagePath(r, k) + "/" + strconv.FormatInt(num, 10)
}

// APIURL is the address of a job in the API.
func (n *Names) APIURL(base string, r forge.Repository, k Kind, num int64) string {
	return base + Base + "/project/" + n.types[k] + "/" + r.FullName() + "/" + strconv.FormatInt(num, 10)
}

// ArtifactPath is the path of an artifact below its job's, in the API and on pages.
func ArtifactPath(node int, name string) string {
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(segment), "+", "%2B")
	}
	return "/artifacts/" + strconv.Itoa(node) + "/" + strings.Join(segments, "/")
}
