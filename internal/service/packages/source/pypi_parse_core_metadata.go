package source

import (
	"bufio"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// pypiMetadata is what is read of core metadata.
type pypiMetadata struct {
	name, version                     string
	expression, license, home, python string
	classifiers, urls, requires       []string
	dynamic                           []string
}

// readMetadata completes a version from core metadata.
func readMetadata(found pypiFound, v *catalog.Version) {
	m := parseMetadata(found.text)
	if m.name != "" && catalog.CanonicalName(catalog.PyPI, m.name) == v.Key.Name && len(v.Upstream) > 0 {
		// The index spells names its own way; the author's spelling is the name's.
		v.Upstream[0].Name = m.name
	}
	v.Licenses = m.licenses()
	for _, u := range m.urls {
		label, address, ok := strings.Cut(u, ",")
		if ok {
			v.Links = append(v.Links, projectLink(label, strings.TrimSpace(address))...)
		}
	}
	if !hasLabel(v.Links, catalog.LabelHome) {
		v.Links = append(v.Links, link(catalog.LabelHome, m.home)...)
	}
	if _, ok := catalog.ProjectOf(m.home); ok && !hasLabel(v.Links, catalog.LabelSource) {
		v.Links = append(v.Links, repository(m.home)...)
	}
	r := &catalog.PyPIRequirements{Python: m.python, Unknown: found.unknown(m)}
	for _, line := range append(m.requires, found.requires...) {
		r.Dependencies = append(r.Dependencies, pypiRequirement(line))
	}
	v.Requires = &catalog.Requirements{PyPI: r}
}

// parseMetadata reads the headers of core metadata. Continuation lines belong
// to texts that are not needed, so they are passed over.
func parseMetadata(text string) pypiMetadata {
	var m pypiMetadata
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := scanner.Text()
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || line[0] == ' ' || line[0] == '\t' {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "name":
			m.name = value
		case "metadata-version":
			m.version = value
		case "dynamic":
			m.dynamic = append(m.dynamic, strings.ToLower(value))
		case "license-expression":
			m.expression = value
		case "license":
			m.license = value
		case "home-page":
			m.home = value
		case "requires-python":
			m.python = value
		case "classifier":
			m.classifiers = append(m.classifiers, value)
		case "project-url":
			m.urls = append(m.urls, value)
		case "requires-dist":
			m.requires = append(m.requires, value)
		}
	}
	return m
}

// licenses prefers what SPDX can say: the expression, then a license field it
// knows, then the classifiers, then whatever the field holds.
func (m *pypiMetadata) licenses() []catalog.License {
	if m.expression != "" {
		return catalog.Licenses(m.expression)
	}
	written := catalog.Licenses(m.license)
	if len(written) == 1 && written[0].SPDX != catalog.NonStandard {
		return written
	}
	var classified []string
	for _, c := range m.classifiers {
		if rest, ok := strings.CutPrefix(c, "License ::"); ok && strings.TrimSpace(rest) != "OSI Approved" {
			classified = append(classified, c)
		}
	}
	if list := catalog.Licenses(classified...); len(list) > 0 {
		return list
	}
	return written
}

// projectLink labels a project URL by the word its author put before it.
func projectLink(label, address string) []catalog.Link {
	switch strings.ToLower(strings.Join(strings.FieldsFunc(label, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "")) {
	case "source", "sourcecode", "repository", "code", "github", "gitlab", "git":
		return repository(address)
	case "issues", "tracker", "bugs", "bugtracker", "issuetracker", "bugreports", "reportissues":
		return link(catalog.LabelIssues, address)
	case "documentation", "docs":
		return link(catalog.LabelDocs, address)
	case "homepage", "home":
		return link(catalog.LabelHome, address)
	}
	return nil
}

// pypiRequirement takes a Requires-Dist line apart (PEP 508): name, extras in
// brackets, specifier with or without parentheses, marker after a semicolon.
func pypiRequirement(line string) catalog.PyPIRequirement {
	spec, marker, _ := strings.Cut(line, ";")
	end := strings.IndexAny(spec, " [(<>=!~@")
	if end < 0 {
		end = len(spec)
	}
	r := catalog.PyPIRequirement{Name: spec[:end], Marker: strings.TrimSpace(marker)}
	rest := strings.TrimSpace(spec[end:])
	if strings.HasPrefix(rest, "[") {
		if extras, after, ok := strings.Cut(rest[1:], "]"); ok {
			r.Extras, rest = strings.TrimSpace(extras), strings.TrimSpace(after)
		}
	}
	r.Specifier = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(rest, "("), ")"))
	return r
}
