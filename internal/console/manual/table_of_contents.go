package manual

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// section is one heading of the table of contents.
type section struct {
	Title string
	Links []link
}

type link struct {
	Title, Href string
	// Here marks the page that is being read, Inner one that belongs to the one before it.
	Here, Inner bool
}

// contents is the table of contents as seen from one address.
func (m *Manual) contents(here string) []section {
	reviews := m.named("services/*-review.md")
	list := []section{
		{"Start", m.links(here, "index", "getting-started", "console", "faq")},
		{"Services", m.services(here)},
		{"Tests", m.links(here, "lab", "lab-worlds", "lab-requests", "kits", "faults", "conduct", "lab-stories",
			"recipes")},
		{"Operations", m.links(here, "operations", "operations-service", "users", "operations-signin",
			"operations-scale", "operations-failover", "operations-tools", "small-build", "releases", "settings", "runbook")},
		{"Security", m.links(here, "security", "security-limits", "security-services", "security-data", "security-sandbox")},
		{"Compatibility", m.links(here, slices.Concat([]string{"conformance", "sdks", "peers"}, reviews)...)},
		{"Reliability", m.links(here, "reliability", "reliability-time", "reliability-security", "reliability-cluster",
			"reliability-defects", "mutation")},
		{"Measurements", m.links(here, "benchmarks", "performance", "performance-limits", "performance-costs",
			"performance-cores", "performance-memory", "growth", "console-pages")},
		{"Development", m.links(here, "architecture", "adding-a-service", "dependencies", "glossary", "adr/README")},
	}
	known := map[string]bool{}
	for _, s := range list {
		for _, l := range s.Links {
			known[l.Href] = true
		}
	}
	if rest := m.unlisted(here, known); len(rest) > 0 {
		list = append(list, section{"More", rest})
	}
	return list
}

// named are the pages whose files match a pattern.
func (m *Manual) named(pattern string) []string {
	files, _ := fs.Glob(m.files, pattern) // a constant pattern is never malformed
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".md")
	}
	return files
}

// links are the named pages that exist.
func (m *Manual) links(here string, names ...string) []link {
	var out []link
	for _, name := range names {
		p, err := m.page(name)
		if err != nil {
			continue
		}
		out = append(out, link{Title: p.title, Href: pageAddress(name), Here: pageAddress(name) == here})
	}
	return out
}

// services lists every module that has a page or a description, and the forge, which several of them share. Below the
// one that is being read stand its further pages.
func (m *Manual) services(here string) []link {
	var out []link
	for _, s := range m.modules {
		href := "/docs/services/" + s.Name
		if !m.has("services/" + s.Name + ".md") {
			href = "/docs/reference/" + s.Name
			if !m.has("openapi/" + s.Name + ".json") {
				continue
			}
		}
		inner := m.links(here, m.further(s.Name)...)
		read := here == href || here == "/docs/reference/"+s.Name
		out = append(out, link{Title: s.Title, Href: href, Here: read})
		if !read && !slices.ContainsFunc(inner, func(l link) bool { return l.Here }) {
			continue
		}
		for _, l := range inner {
			l.Inner = true
			out = append(out, l)
		}
	}
	return append(out, m.links(here, "services/forge")...)
}

// further are the pages of a service beside its first one: those that begin with its name, or outside of the folder of
// services with one of what it serves, as pipeline-yml does. What a review found stands elsewhere.
func (m *Manual) further(service string) []string {
	var out []string
	for _, name := range m.named("services/" + service + "-*.md") {
		if !strings.HasSuffix(name, "-review") {
			out = append(out, name)
		}
	}
	return append(out, m.named(strings.TrimSuffix(service, "s")+"-*.md")...)
}

// unlisted are the pages that no section names and no service has, so that a new file is found.
func (m *Manual) unlisted(here string, known map[string]bool) []link {
	for _, s := range m.modules {
		for _, name := range m.further(s.Name) {
			known[pageAddress(name)] = true
		}
	}
	var out []link
	for _, name := range append(m.named("*.md"), m.named("services/*.md")...) {
		if !known[pageAddress(name)] {
			out = append(out, m.links(here, name)...)
		}
	}
	return out
}

func (m *Manual) has(file string) bool {
	_, err := fs.Stat(m.files, file)
	return err == nil
}

// pageAddress is where a page can be read; README and index are their folder's own.
func pageAddress(name string) string {
	switch dir, base := path.Split(name); base {
	case "index", "README":
		return "/docs/" + dir
	}
	return "/docs/" + name
}

// file is the inverse: the Markdown file of an address below /docs/.
func (m *Manual) file(rest string) string {
	if rest == "" {
		return "index"
	}
	if dir, ok := strings.CutSuffix(rest, "/"); ok {
		return dir + "/README"
	}
	return rest
}

// hasFailures reports whether the catalogue of failures has a part about a service.
func (m *Manual) hasFailures(service string) bool {
	text, err := fs.ReadFile(m.files, "faults.md")
	return err == nil && bytes.Contains(text, []byte("\n### "+service+"\n"))
}

// neighbours are the pages before and after an address, in the order of the contents.
func neighbours(contents []section, here string) (before, after *link) {
	var all []link
	for _, s := range contents {
		all = append(all, s.Links...)
	}
	at := slices.IndexFunc(all, func(l link) bool { return l.Href == here })
	if at < 0 {
		return nil, nil
	}
	if at > 0 {
		before = &all[at-1]
	}
	if at < len(all)-1 {
		after = &all[at+1]
	}
	return before, after
}
