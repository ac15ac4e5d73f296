package resolve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve"
)

// shelf is a store of requirements by "name version".
type shelf struct {
	system catalog.System
	needs  map[string]*catalog.Requirements
}

func (s shelf) Package(_ context.Context, k catalog.PackageKey) ([]byte, error) {
	p := catalog.Package{Key: k}
	for key := range s.needs {
		if name, version, _ := strings.Cut(key, " "); name == k.Name {
			p.Versions = append(p.Versions, catalog.Version{Key: k.At(version)})
		}
	}
	if len(p.Versions) == 0 {
		return nil, resolve.ErrNotFound
	}
	p.Normalize()
	var list []string
	for _, v := range p.Versions {
		list = append(list, fmt.Sprintf(`{"versionKey":{"system":%q,"name":%q,"version":%q},"isDefault":%v}`, k.System, k.Name, v.Key.Version, v.Default))
	}
	return []byte(fmt.Sprintf(`{"packageKey":{"system":%q,"name":%q},"versions":[%s]}`, k.System, k.Name, strings.Join(list, ","))), nil
}

func (s shelf) Version(_ context.Context, k catalog.VersionKey) ([]byte, error) {
	if s.needs[k.Name+" "+k.Version] == nil {
		return nil, resolve.ErrNotFound
	}
	return []byte(fmt.Sprintf(`{"versionKey":{"system":%q,"name":%q,"version":%q}}`, k.System, k.Name, k.Version)), nil
}

func (s shelf) Requirements(_ context.Context, k catalog.VersionKey) ([]byte, error) {
	needs := s.needs[k.Name+" "+k.Version]
	if needs == nil {
		return nil, resolve.ErrNotFound
	}
	needs.Fill()
	return json.Marshal(needs)
}

// graph prints a graph line by line.
func graph(t *testing.T, s shelf, name, version string) []string {
	t.Helper()
	g, err := resolve.Resolve(t.Context(), s, catalog.VersionKey{System: s.system, Name: name, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, n := range g.Nodes {
		line := fmt.Sprintf("%s %s %s", n.Key.Name, n.Key.Version, n.Relation)
		if len(n.Errors) > 0 {
			line += " !"
		}
		lines = append(lines, line)
	}
	for _, e := range g.Edges {
		lines = append(lines, fmt.Sprintf("%d>%d %s", e.From, e.To, e.Requirement))
	}
	if g.Problem != "" {
		lines = append(lines, g.Problem)
	}
	return lines
}

func npmNeeds(pairs ...string) *catalog.Requirements {
	r := &catalog.Requirements{NPM: &catalog.NPMRequirements{}}
	for i := 0; i < len(pairs); i += 2 {
		r.NPM.Dependencies.Dependencies = append(r.NPM.Dependencies.Dependencies, catalog.Requirement{Name: pairs[i], Requirement: pairs[i+1]})
	}
	return r
}

func cargoNeeds(list ...catalog.CargoRequirement) *catalog.Requirements {
	return &catalog.Requirements{Cargo: &catalog.CargoRequirements{Dependencies: list}}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	t.Run("npm", func(t *testing.T) {
		t.Parallel()
		s := shelf{catalog.NPM, map[string]*catalog.Requirements{
			"top 1.0.0": npmNeeds("a", "^1.0.0", "b", "*"), "a 1.0.0": npmNeeds(), "a 1.5.0": npmNeeds("c", "~2.0.0"), "a 2.0.0": npmNeeds(),
			"b 1.0.0": npmNeeds("a", "^2.0.0"), "c 2.0.9": npmNeeds(), "c 2.1.0": npmNeeds(),
		}}
		want := []string{"top 1.0.0 SELF", "a 1.5.0 DIRECT", "b 1.0.0 DIRECT", "a 2.0.0 INDIRECT", "c 2.0.9 INDIRECT"}
		got := graph(t, s, "top", "1.0.0")
		have := strings.Join(got, "\n")
		for _, line := range want {
			if !strings.Contains(have, line) {
				t.Errorf("the graph lacks %q:\n%s", line, have)
			}
		}
	})
	t.Run("cargo", func(t *testing.T) {
		t.Parallel()
		s := shelf{catalog.Cargo, map[string]*catalog.Requirements{
			"top 1.0.0": cargoNeeds(catalog.CargoRequirement{Name: "a", Requirement: "^1"}, catalog.CargoRequirement{Name: "t", Requirement: "^1", Kind: "dev"},
				catalog.CargoRequirement{Name: "o", Requirement: "^1", Optional: true}, catalog.CargoRequirement{Name: "w", Requirement: "^1", Target: "cfg(windows)"},
				catalog.CargoRequirement{Name: "gone", Requirement: "^9"}),
			"a 1.0.0": cargoNeeds(), "a 1.2.0": cargoNeeds(catalog.CargoRequirement{Name: "b", Requirement: "^0.3"}), "a 2.0.0": cargoNeeds(),
			"b 0.3.1": cargoNeeds(catalog.CargoRequirement{Name: "a", Requirement: "^1.0"}),
		}}
		want := []string{"top 1.0.0 SELF !", "a 1.2.0 DIRECT", "b 0.3.1 INDIRECT", "0>1 ^1", "1>2 ^0.3", "2>1 ^1.0"}
		if diff := cmp.Diff(want, graph(t, s, "top", "1.0.0")); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
	})
	t.Run("pypi", func(t *testing.T) {
		t.Parallel()
		needs := func(list ...catalog.PyPIRequirement) *catalog.Requirements {
			return &catalog.Requirements{PyPI: &catalog.PyPIRequirements{Dependencies: list}}
		}
		s := shelf{catalog.PyPI, map[string]*catalog.Requirements{
			"top 1.0.0": needs(catalog.PyPIRequirement{Name: "a", Specifier: ">=1,<2"}, catalog.PyPIRequirement{Name: "w", Marker: `sys_platform == "win32"`}),
			"a 1.5.0":   needs(), "a 2.0.0": needs(), "w 1.0.0": needs(),
		}}
		want := []string{"top 1.0.0 SELF", "a 1.5.0 DIRECT", "0>1 >=1,<2"}
		if diff := cmp.Diff(want, graph(t, s, "top", "1.0.0")); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
	})
	t.Run("maven", func(t *testing.T) {
		t.Parallel()
		needs := func(list ...catalog.MavenDependency) *catalog.Requirements {
			return &catalog.Requirements{Maven: &catalog.MavenRequirements{Dependencies: list, Properties: []catalog.MavenProperty{{Name: "v", Value: "1.0"}}}}
		}
		s := shelf{catalog.Maven, map[string]*catalog.Requirements{
			"g:top 1.0": needs(catalog.MavenDependency{Name: "g:a", Version: "${v}", Type: "jar"}, catalog.MavenDependency{Name: "g:t", Version: "1.0", Type: "jar", Scope: "test"}),
			"g:a 1.0":   needs(), "g:a 2.0": needs(), "g:t 1.0": needs(),
		}}
		got := strings.Join(graph(t, s, "g:top", "1.0"), "\n")
		if !strings.Contains(got, "g:a 1.0 DIRECT") || strings.Contains(got, "g:a 2.0") {
			t.Errorf("graph:\n%s", got)
		}
	})
	t.Run("an unknown root", func(t *testing.T) {
		t.Parallel()
		for _, system := range []catalog.System{catalog.NPM, catalog.PyPI, catalog.Cargo} {
			got := graph(t, shelf{system, nil}, "x", "1.0.0")
			if len(got) == 0 || !strings.HasPrefix(got[0], "x 1.0.0 SELF") {
				t.Errorf("%s: %v", system, got)
			}
		}
	})
}
