package seedfile

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Package is an element of the section.
type Package struct {
	System   string    `json:"system" enum:"GO,RUBYGEMS,NPM,CARGO,MAVEN,PYPI,NUGET" doc:"The ecosystem."`
	Name     string    `json:"name" doc:"The name of the package."`
	Latest   string    `json:"latest,omitempty" doc:"The version that npm calls the latest."`
	Versions []Version `json:"versions" doc:"The versions that were published."`
}

// Version is one version of a package.
type Version struct {
	Version    string            `json:"version" doc:"The version."`
	Published  *time.Time        `json:"published,omitempty" doc:"When it was published."`
	Deprecated bool              `json:"deprecated,omitempty" doc:"Whether the publisher advises against it."`
	Licenses   []string          `json:"licenses,omitempty" doc:"Licenses such as Apache-2.0."`
	Home       string            `json:"home,omitempty" doc:"The address of the home page."`
	Requires   map[string]string `json:"requires,omitempty" doc:"What an npm package depends on, with the range."`
}

// What a version says of where it came from.
const (
	source     = "SEED"
	demoSource = "DEMO"
)

// Catalog is the package as the store takes it.
func (in Package) Catalog() (catalog.Package, error) {
	p := catalog.Package{
		Key: catalog.PackageKey{System: catalog.System(in.System), Name: in.Name}, Tag: in.Latest,
	}
	if err := p.Key.Check(); err != nil {
		return p, seed.At(err, "name")
	}
	for i, v := range in.Versions {
		version, err := v.of(p.Key)
		if err == nil {
			err = version.Check()
		}
		if err != nil {
			return p, seed.At(err, "versions", i)
		}
		p.Versions = append(p.Versions, version)
	}
	return p, nil
}

func (v Version) of(k catalog.PackageKey) (catalog.Version, error) {
	out := catalog.Version{
		Key: k.At(v.Version), Deprecated: v.Deprecated, Licenses: catalog.Licenses(v.Licenses...), Complete: true,
		Upstream: []catalog.Upstream{{Name: k.Name, Version: v.Version, Source: source}},
	}
	if strings.TrimSpace(v.Version) == "" {
		return out, seed.At(errors.New("the version is empty"), "version")
	}
	if v.Published != nil {
		out.Published = v.Published.UTC()
	}
	if v.Home != "" {
		out.Links = []catalog.Link{{Label: catalog.LabelHome, URL: v.Home}}
	}
	if len(v.Requires) == 0 {
		return out, nil
	}
	if k.System != catalog.NPM {
		return out, seed.At(errors.New("is for npm alone"), "requires")
	}
	var needs []catalog.Requirement
	for _, name := range slices.Sorted(maps.Keys(v.Requires)) {
		needs = append(needs, catalog.Requirement{Name: name, Requirement: v.Requires[name]})
	}
	out.Requires = npm(needs)
	return out, nil
}

func npm(needs []catalog.Requirement) *catalog.Requirements {
	return &catalog.Requirements{
		NPM: &catalog.NPMRequirements{Dependencies: catalog.NPMDependencies{Dependencies: needs}},
	}
}
