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
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// shelf is a store of requirements by "name version". A version with nil
// requirements is listed and no more is known of it; one whose name begins
// with "yanked" is withdrawn in its second version.
type shelf struct {
	system catalog.System
	needs  map[string]*catalog.Requirements
}

func (s shelf) Package(_ context.Context, k catalog.PackageKey, _ graph.Reach) ([]byte, error) {
	p := catalog.Package{Key: k}
	for key := range s.needs {
		if name, version, _ := strings.Cut(key, " "); name == k.Name {
			p.Versions = append(p.Versions, catalog.Version{Key: k.At(version)})
		}
	}
	if len(p.Versions) == 0 {
		return nil, graph.ErrNotFound
	}
	p.Normalize()
	var list []string
	for _, v := range p.Versions {
		list = append(list, fmt.Sprintf(`{"versionKey":{"system":%q,"name":%q,"version":%q},"isDefault":%v,"isDeprecated":%v}`,
			k.System, k.Name, v.Key.Version, v.Default, strings.HasPrefix(k.Name, "yanked") &&
				strings.HasPrefix(v.Key.Version, "2")))
	}
	return []byte(
		fmt.Sprintf(
			`{"packageKey":{"system":%q,"name":%q},"versions":[%s]}`, k.System, k.Name, strings.Join(list, ","),
		),
	), nil
}

func (s shelf) Version(_ context.Context, k catalog.VersionKey, _ graph.Reach) ([]byte, error) {
	if _, listed := s.needs[k.Name+" "+k.Version]; !listed {
		return nil, graph.ErrNotFound
	}
	return []byte(fmt.Sprintf(`{"versionKey":{"system":%q,"name":%q,"version":%q}}`, k.System, k.Name, k.Version)), nil
}

func (s shelf) Files(context.Context, catalog.VersionKey) (graph.Files, error) {
	return graph.Files{}, nil
}

func (s shelf) Requirements(_ context.Context, k catalog.VersionKey, _ graph.Reach) ([]byte, error) {
	needs := s.needs[k.Name+" "+k.Version]
	if needs == nil {
		return nil, graph.ErrNotFound
	}
	needs.Fill()
	return json.Marshal(needs)
}

// printed is a graph line by line.
func printed(t *testing.T, s shelf, name, version string) []string {
	t.Helper()
	g, err := resolve.Resolve(
		t.Context(), s, catalog.VersionKey{System: s.system, Name: name, Version: version},
		resolve.Options{Python: "3.11.7"},
	)
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
		r.NPM.Dependencies.Dependencies = append(r.NPM.Dependencies.Dependencies, catalog.Requirement{
			Name: pairs[i], Requirement: pairs[i+1],
		})
	}
	return r
}

func pypiNeeds(list ...catalog.PyPIRequirement) *catalog.Requirements {
	return &catalog.Requirements{PyPI: &catalog.PyPIRequirements{Dependencies: list}}
}

// mavenNeeds takes pairs of names and versions.
func mavenNeeds(pairs ...string) *catalog.Requirements {
	r := &catalog.Requirements{Maven: &catalog.MavenRequirements{}}
	for i := 0; i < len(pairs); i += 2 {
		r.Maven.Dependencies = append(r.Maven.Dependencies, catalog.MavenDependency{
			Name: pairs[i], Version: pairs[i+1], Type: "jar",
		})
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
			"top 1.0.0": npmNeeds("a", "^1.0.0", "b", "*"), "a 1.0.0": npmNeeds(), "a 1.5.0": npmNeeds("c", "~2.0.0"),
			"a 2.0.0": npmNeeds(),
			"b 1.0.0": npmNeeds("a", "^2.0.0"), "c 2.0.9": npmNeeds(), "c 2.1.0": npmNeeds(),
		}}
		want := []string{"top 1.0.0 SELF", "a 1.5.0 DIRECT", "b 1.0.0 DIRECT", "a 2.0.0 INDIRECT", "c 2.0.9 INDIRECT"}
		got := printed(t, s, "top", "1.0.0")
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
			"top 1.0.0": cargoNeeds(catalog.CargoRequirement{Name: "a", Requirement: "^1"}, catalog.CargoRequirement{
				Name: "t", Requirement: "^1", Kind: "dev",
			},
				catalog.CargoRequirement{Name: "o", Requirement: "^1", Optional: true}, catalog.CargoRequirement{
					Name: "w", Requirement: "^1", Target: "cfg(windows)",
				},
				catalog.CargoRequirement{Name: "gone", Requirement: "^9"}),
			"a 1.0.0": cargoNeeds(), "a 1.2.0": cargoNeeds(catalog.CargoRequirement{Name: "b", Requirement: "^0.3"}),
			"a 2.0.0": cargoNeeds(),
			"b 0.3.1": cargoNeeds(catalog.CargoRequirement{Name: "a", Requirement: "^1.0"}),
		}}
		want := []string{"top 1.0.0 SELF !", "a 1.2.0 DIRECT", "b 0.3.1 INDIRECT", "0>1 ^1", "1>2 ^0.3", "2>1 ^1.0"}
		if diff := cmp.Diff(want, printed(t, s, "top", "1.0.0")); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
	})
	t.Run("pypi", func(t *testing.T) {
		t.Parallel()
		s := shelf{catalog.PyPI, map[string]*catalog.Requirements{
			"top 1.0.0": pypiNeeds(catalog.PyPIRequirement{Name: "a", Specifier: ">=1,<2"}, catalog.PyPIRequirement{
				Name: "w", Marker: `sys_platform == "win32"`,
			}),
			"a 1.5.0": pypiNeeds(), "a 2.0.0": pypiNeeds(), "w 1.0.0": pypiNeeds(),
		}}
		want := []string{"top 1.0.0 SELF", "a 1.5.0 DIRECT", "0>1 >=1,<2"}
		if diff := cmp.Diff(want, printed(t, s, "top", "1.0.0")); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
	})
	t.Run("maven", func(t *testing.T) {
		t.Parallel()
		needs := func(list ...catalog.MavenDependency) *catalog.Requirements {
			return &catalog.Requirements{
				Maven: &catalog.MavenRequirements{
					Dependencies: list, Properties: []catalog.MavenProperty{{Name: "v", Value: "1.0"}},
				},
			}
		}
		s := shelf{catalog.Maven, map[string]*catalog.Requirements{
			"g:top 1.0": needs(
				catalog.MavenDependency{Name: "g:a", Version: "${v}", Type: "jar"},
				catalog.MavenDependency{Name: "g:t", Version: "1.0", Type: "jar", Scope: "test"},
			),
			"g:a 1.0": needs(), "g:a 2.0": needs(), "g:t 1.0": needs(),
		}}
		got := strings.Join(printed(t, s, "g:top", "1.0"), "\n")
		if !strings.Contains(got, "g:a 1.0 DIRECT") || strings.Contains(got, "g:a 2.0") {
			t.Errorf("graph:\n%s", got)
		}
	})
	t.Run("an unknown root", func(t *testing.T) {
		t.Parallel()
		for _, system := range []catalog.System{catalog.NPM, catalog.PyPI, catalog.Cargo} {
			got := printed(t, shelf{system, nil}, "x", "1.0.0")
			if len(got) == 0 || !strings.HasPrefix(got[0], "x 1.0.0 SELF") {
				t.Errorf("%s: %v", system, got)
			}
		}
	})
}

func TestHoles(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		shelf shelf
		top   string
		want  []string
	}{
		{"npm", shelf{catalog.NPM, map[string]*catalog.Requirements{
			"top 1.0.0": npmNeeds("a", "^1.0.0", "bare", "^1.0.0", "gone", "^1.0.0"), "a 1.0.0": npmNeeds(),
			"bare 1.0.0": nil,
		}}, "top 1.0.0", []string{
			"top 1.0.0 SELF !", "a 1.0.0 DIRECT", "bare 1.0.0 DIRECT !", "0>1 ^1.0.0", "0>2 ^1.0.0",
		}},
		{"pypi", shelf{catalog.PyPI, map[string]*catalog.Requirements{
			"top 1.0.0": pypiNeeds(catalog.PyPIRequirement{Name: "a"}, catalog.PyPIRequirement{Name: "Bare"}),
			"a 1.0.0":   pypiNeeds(), "bare 1.0.0": nil, "Bare 1.0.0": nil,
		}}, "top 1.0.0", []string{"top 1.0.0 SELF", "a 1.0.0 DIRECT", "bare 1.0.0 DIRECT !", "0>1 ", "0>2 "}},
		{"maven", shelf{catalog.Maven, map[string]*catalog.Requirements{
			"g:top 1.0": mavenNeeds("g:a", "1.0", "g:gone", "1.0"), "g:a 1.0": mavenNeeds(),
		}}, "g:top 1.0", []string{"g:top 1.0 SELF", "g:a 1.0 DIRECT", "g:gone 1.0 DIRECT !", "0>1 1.0", "0>2 1.0"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			name, version, _ := strings.Cut(row.top, " ")
			if diff := cmp.Diff(row.want, printed(t, row.shelf, name, version)); diff != "" {
				t.Errorf("graph (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithdrawn(t *testing.T) {
	t.Parallel()
	needs := map[catalog.System]func(version string) *catalog.Requirements{
		catalog.NPM: func(v string) *catalog.Requirements { return npmNeeds("yanked", v) },
		catalog.PyPI: func(v string) *catalog.Requirements {
			return pypiNeeds(catalog.PyPIRequirement{Name: "yanked", Specifier: v})
		},
		catalog.Cargo: func(v string) *catalog.Requirements {
			return cargoNeeds(catalog.CargoRequirement{Name: "yanked", Requirement: v})
		},
	}
	for system, top := range needs {
		t.Run(string(system), func(t *testing.T) {
			t.Parallel()
			s := shelf{
				system,
				map[string]*catalog.Requirements{
					"top 1.0.0": top(">=1.0.0"), "yanked 1.0.0": top("<0.1.0"), "yanked 2.0.0": top("<0.1.0"),
					"yanked 2.1.0": top("<0.1.0"),
				},
			}
			if system == catalog.PyPI {
				// An index that cannot satisfy a dependency fails the whole set.
				s.needs["yanked 1.0.0"], s.needs["yanked 2.0.0"], s.needs["yanked 2.1.0"] = pypiNeeds(), pypiNeeds(), pypiNeeds()
			}
			want := "1.0.0"
			if system == catalog.NPM {
				// The latest one is taken even if its author advises against it.
				want = "2.1.0"
			}
			if got := printed(t, s, "top", "1.0.0"); len(got) < 2 ||
				!strings.HasPrefix(got[1], "yanked "+want+" DIRECT") {
				t.Errorf("graph %v, want yanked %s", got, want)
			}
		})
	}
	t.Run("pinned", func(t *testing.T) {
		t.Parallel()
		s := shelf{catalog.PyPI, map[string]*catalog.Requirements{
			"top 1.0.0":    pypiNeeds(catalog.PyPIRequirement{Name: "yanked", Specifier: "==2.0.0"}),
			"yanked 1.0.0": pypiNeeds(), "yanked 2.0.0": pypiNeeds(),
		}}
		if got := printed(t, s, "top", "1.0.0"); len(got) < 2 || got[1] != "yanked 2.0.0 DIRECT" {
			t.Errorf("graph %v, want yanked 2.0.0", got)
		}
	})
}

// TestHostileGraphs resolves what was published to exhaust the resolver.
func TestHostileGraphs(t *testing.T) {
	t.Parallel()
	t.Run("npm doubles on every level", func(t *testing.T) {
		t.Parallel()
		// Each package wants versions of the next two that no other wants, so
		// that none can be shared.
		const versions, depth = 4, 24
		s := shelf{catalog.NPM, map[string]*catalog.Requirements{}}
		for level := range depth {
			for v := range versions {
				l, r := npmNeeds(), npmNeeds()
				if level+1 < depth {
					next := func(k int) *catalog.Requirements {
						return npmNeeds(fmt.Sprintf("l%d", level+1), fmt.Sprintf("%d.0.0", (k*5+1)%versions),
							fmt.Sprintf("r%d", level+1), fmt.Sprintf("%d.0.0", (k*7+3)%versions))
					}
					l, r = next(v*2), next(v*2+1)
				}
				s.needs[fmt.Sprintf("l%d %d.0.0", level, v)], s.needs[fmt.Sprintf("r%d %d.0.0", level, v)] = l, r
			}
		}
		want := []string{"l0 0.0.0 SELF", "the graph has too many nodes"}
		if diff := cmp.Diff(want, printed(t, s, "l0", "0.0.0")); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
	})
	t.Run("maven properties that double", func(t *testing.T) {
		t.Parallel()
		double := func(from, to int) (list []catalog.MavenProperty) {
			for i := from; i < to; i++ {
				list = append(list, catalog.MavenProperty{
					Name: fmt.Sprintf("p%d", i), Value: fmt.Sprintf("${p%d}${p%d}", i+1, i+1),
				})
			}
			return list
		}
		// Half of them stand in the parent, where they look harmless.
		top, parent := mavenNeeds("g:a", "${p0}"), mavenNeeds()
		top.Maven.Parent = &catalog.VersionKey{System: catalog.Maven, Name: "g:parent", Version: "1"}
		top.Maven.Properties, parent.Maven.Properties = double(0, 15), append(double(15, 30), catalog.MavenProperty{
			Name: "p30", Value: "x",
		})
		s := shelf{catalog.Maven, map[string]*catalog.Requirements{"g:top 1": top, "g:parent 1": parent}}
		want := []string{"g:top 1 SELF", "the properties of a descriptor fill in to too much text"}
		if diff := cmp.Diff(want, printed(t, s, "g:top", "1")); diff != "" {
			t.Errorf("graph (-want +got):\n%s", diff)
		}
	})
	t.Run("maven parents in a circle", func(t *testing.T) {
		t.Parallel()
		top, parent := mavenNeeds(), mavenNeeds()
		top.Maven.Parent = &catalog.VersionKey{System: catalog.Maven, Name: "g:parent", Version: "1"}
		parent.Maven.Parent = &catalog.VersionKey{System: catalog.Maven, Name: "g:top", Version: "1"}
		got := printed(t, shelf{catalog.Maven, map[string]*catalog.Requirements{"g:top 1": top, "g:parent 1": parent}},
			"g:top", "1")
		if len(got) == 0 || got[0] != "g:top 1 SELF" {
			t.Errorf("graph %v", got)
		}
	})
}
