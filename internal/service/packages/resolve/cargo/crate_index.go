package cargo

import (
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// crate is one version with what it declares, in the form resolution needs.
type crate struct {
	key      catalog.VersionKey
	slot     string
	links    string
	deps     []need
	features map[string][]value
	// unknown means that its requirements are not known.
	unknown bool
}

// need is one declared dependency. Its name is what the manifest calls it.
type need struct {
	name, crate string
	text        string
	features    []string
	defaults    bool
	optional    bool
	build, dev  bool
	target      bool
}

// value is what a feature turns on: another feature, an optional dependency, or
// a feature of a dependency, which if weak does not turn the dependency on.
type value struct {
	feature, dep string
	weak         bool
}

func parseValue(text string) value {
	if dep, ok := strings.CutPrefix(text, "dep:"); ok {
		return value{dep: dep}
	}
	dep, feature, ok := strings.Cut(text, "/")
	if !ok {
		return value{feature: text}
	}
	dep, weak := strings.CutSuffix(dep, "?")
	return value{feature: feature, dep: dep, weak: weak}
}

// index reads crates, each once in a pass.
type index struct {
	lookup   *graph.Lookup
	crates   map[catalog.VersionKey]*crate
	matching map[[2]string][]string
}

func newIndex(l *graph.Lookup) *index {
	return &index{
		lookup: l, crates: map[catalog.VersionKey]*crate{}, matching: map[[2]string][]string{},
	}
}

func (x *index) crate(name, version string) (*crate, error) {
	key := catalog.VersionKey{System: catalog.Cargo, Name: name, Version: version}
	if c := x.crates[key]; c != nil {
		return c, nil
	}
	c := &crate{key: key, slot: name + " " + compatible(version), features: map[string][]value{}}
	needs, err := x.lookup.Requirements(key)
	switch {
	case errors.Is(err, graph.ErrNotFound) || err == nil && needs.Cargo == nil:
		c.unknown = true
	case err != nil:
		return nil, err
	default:
		if err := x.lookup.SpendSteps(len(needs.Cargo.Dependencies) + len(needs.Cargo.Features)); err != nil {
			return nil, err
		}
		c.read(needs.Cargo)
	}
	x.crates[key] = c
	return c, nil
}

// read takes over what the index declares and adds the features that optional
// dependencies have by themselves.
func (c *crate) read(declared *catalog.CargoRequirements) {
	c.links = declared.Links
	named := map[string]bool{}
	for _, f := range declared.Features {
		list := make([]value, 0, len(f.Implies))
		for _, text := range f.Implies {
			v := parseValue(text)
			named[v.dep] = named[v.dep] || strings.HasPrefix(text, "dep:")
			list = append(list, v)
		}
		c.features[f.Name] = list
	}
	for _, d := range declared.Dependencies {
		n := need{
			name: d.Name, crate: d.Name, text: d.Requirement, features: d.Features, defaults: d.Defaults,
			optional: d.Optional, build: d.Kind == "build", dev: d.Kind == "dev", target: onLinux(d.Target),
		}
		if d.Alias != "" {
			n.name = d.Alias
		}
		if _, taken := c.features[n.name]; n.optional && !taken && !named[n.name] {
			c.features[n.name] = []value{{dep: n.name}}
		}
		c.deps = append(c.deps, n)
	}
}

// compatible is the part of a version within which cargo has one copy: up to
// the first number that is not zero.
func compatible(version string) string {
	core, _, _ := strings.Cut(version, "+")
	core, _, _ = strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	for i, p := range parts {
		if p != "0" {
			return strings.Join(parts[:i+1], ".")
		}
	}
	return core
}

// candidates are the versions that a requirement admits, greatest first. Yanked
// ones are for lock files.
func (x *index) candidates(name, requirement string) ([]string, error) {
	key := [2]string{name, requirement}
	if list, ok := x.matching[key]; ok {
		return list, nil
	}
	listed, err := x.lookup.Versions(catalog.PackageKey{System: catalog.Cargo, Name: name})
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		return nil, err
	}
	if err := x.lookup.SpendSteps(len(listed) + 1); err != nil {
		return nil, err
	}
	var list []string
	if set, err := catalog.Constraint(catalog.Cargo, requirement); err == nil {
		for _, v := range slices.Backward(listed) {
			if !v.Withdrawn && set.Match(v.Key.Version) {
				list = append(list, v.Key.Version)
			}
		}
	}
	x.matching[key] = list
	return list, nil
}
