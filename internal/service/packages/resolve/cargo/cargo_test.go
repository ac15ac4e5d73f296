package cargo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/cargo"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// index is crates by "name version". A line is "feature = value value", "links
// name", or "crate requirement" with words after it: optional, build, dev,
// bare (no default features), +feature, as:name, and cfg(…) last.
type index map[string]string

func (x index) Package(_ context.Context, k catalog.PackageKey, _ graph.Reach) ([]byte, error) {
	p := catalog.Package{Key: k}
	for key := range x {
		if name, version, _ := strings.Cut(key, " "); name == k.Name {
			p.Versions = append(p.Versions, catalog.Version{Key: k.At(version)})
		}
	}
	p.Normalize()
	if len(p.Versions) == 0 {
		return nil, graph.ErrNotFound
	}
	var list []string
	for _, v := range p.Versions {
		list = append(list, fmt.Sprintf(`{"versionKey":{"version":%q},"isDeprecated":%v}`, v.Key.Version,
			strings.Contains(x[k.Name+" "+v.Key.Version], "yanked")))
	}
	return []byte(`{"versions":[` + strings.Join(list, ",") + `]}`), nil
}

func (x index) Version(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (x index) Files(context.Context, catalog.VersionKey) (graph.Files, error) {
	return graph.Files{}, nil
}

func (x index) Requirements(_ context.Context, k catalog.VersionKey, _ graph.Reach) ([]byte, error) {
	text, ok := x[k.Name+" "+k.Version]
	if !ok {
		return nil, graph.ErrNotFound
	}
	r := &catalog.CargoRequirements{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2:
		case words[0] == "links":
			r.Links = words[1]
		case words[1] == "=":
			r.Features = append(r.Features, catalog.CargoFeature{Name: words[0], Implies: words[2:]})
		default:
			r.Dependencies = append(r.Dependencies, dependency(line, words))
		}
	}
	return json.Marshal(catalog.Requirements{Cargo: r})
}

func dependency(line string, words []string) catalog.CargoRequirement {
	d := catalog.CargoRequirement{Name: words[0], Requirement: words[1], Kind: "normal", Defaults: true}
	if at := strings.Index(line, "cfg("); at >= 0 {
		d.Target = strings.TrimSpace(line[at:])
	}
	for _, w := range words[2:] {
		switch {
		case w == "optional":
			d.Optional = true
		case w == "build" || w == "dev":
			d.Kind = w
		case w == "bare":
			d.Defaults = false
		case strings.HasPrefix(w, "+"):
			d.Features = append(d.Features, w[1:])
		case strings.HasPrefix(w, "as:"):
			d.Alias = w[3:]
		}
	}
	return d
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		index index
		want  string
	}{
		{
			"newest in range",
			index{"top 1.0.0": "a ^1", "a 1.0.0": "", "a 1.2.0": "", "a 2.0.0": "", "a 1.3.0": "yanked"},
			"a 1.2.0",
		},
		{"one copy in a range, two across", index{
			"top 1.0.0": "a ^1\nb ^1\nc ^1", "a 1.0.0": "", "a 1.2.0": "", "a 2.0.0": "", "b 1.0.0": "a ~1.0", "c 1.0.0": "a ^2",
		}, "a 1.0.0, a 2.0.0, b 1.0.0, c 1.0.0"},
		{
			"zero versions",
			index{"top 1.0.0": "a ^0.1\nb ^1", "a 0.1.5": "", "a 0.2.0": "", "b 1.0.0": "a ^0.2"},
			"a 0.1.5, a 0.2.0, b 1.0.0",
		},
		{"default features", index{
			"top 1.0.0": "default = std\nstd = a/std\na ^1 optional\nb ^1 optional", "a 1.0.0": "std =\n", "b 1.0.0": "",
		}, "a 1.0.0"},
		{
			"without default features",
			index{"top 1.0.0": "a ^1 bare", "a 1.0.0": "default = b\nb ^1 optional", "b 1.0.0": ""}, "a 1.0.0",
		},
		{
			"named features",
			index{
				"top 1.0.0": "a ^1 bare +x", "a 1.0.0": "default = c\nx = dep:b\nb ^1 optional\nc ^1 optional",
				"b 1.0.0": "", "c 1.0.0": "",
			},
			"a 1.0.0, b 1.0.0",
		},
		{"a weak feature", index{
			"top 1.0.0": "default = std\nstd = a?/std\na ^1 optional", "a 1.0.0": "std = dep:b\nb ^1 optional", "b 1.0.0": "",
		}, ""},
		{"a weak feature of what another turns on", index{
			"top 1.0.0": "default = std with\nstd = a?/std\nwith = dep:a\na ^1 optional",
			"a 1.0.0":   "std = dep:b\nb ^1 optional", "b 1.0.0": "",
		}, "a 1.0.0, b 1.0.0"},
		{"platforms", index{
			"top 1.0.0": `a ^1 cfg(unix)
				b ^1 cfg(windows)
				c ^1 cfg(all(target_os = "linux", not(target_env = "musl")))
				d ^1 cfg(any(target_arch = "wasm32", target_family = "windows"))`,
			"a 1.0.0": "", "b 1.0.0": "", "c 1.0.0": "", "d 1.0.0": "",
		}, "a 1.0.0, c 1.0.0"},
		{"another platform's versions count", index{
			"top 1.0.0": "a ^1\nb ^1 cfg(windows)", "a 1.0.0": "", "a 1.5.0": "", "b 1.0.0": "a =1.0.0",
		}, "a 1.0.0"},
		{
			"build dependencies, and none for tests",
			index{"top 1.0.0": "a ^1 build\nb ^1 dev", "a 1.0.0": "", "b 1.0.0": ""}, "a 1.0.0",
		},
		{"features of build dependencies are apart", index{
			"top 1.0.0": "a ^1 bare\nb ^1 build", "b 1.0.0": "a ^1 bare +y",
			"a 1.0.0": "x = \ny = c?/on\nc ^1 optional", "c 1.0.0": "on =",
		}, "a 1.0.0, b 1.0.0"},
		{"an alias", index{"top 1.0.0": "default = other\na ^1 optional as:other", "a 1.0.0": ""}, "a 1.0.0"},
		{"backtracking", index{
			"top 1.0.0": "a ^1\nb ^1", "a 1.2.0": "c =1.5.0", "a 1.0.0": "c ^1",
			"b 1.0.0": "c =1.0.0", "c 1.0.0": "", "c 1.5.0": "",
		}, "a 1.0.0, b 1.0.0, c 1.0.0"},
		{"a native library", index{
			"top 1.0.0": "a ^1\nb ^1", "a 1.0.0": "x-sys ^1", "b 1.0.0": "x-sys >=1",
			"x-sys 1.0.0": "links x", "x-sys 2.0.0": "links x",
		}, "a 1.0.0, b 1.0.0, x-sys 1.0.0"},
		{"nothing fits", index{"top 1.0.0": "a =1.0.0\nb ^1", "b 1.0.0": "a =1.1.0", "a 1.0.0": "", "a 1.1.0": ""},
			"no version of a =1.1.0 fits, which b 1.0.0 needs"},
		{
			"a crate the index lacks", index{"top 1.0.0": "a ^1\ngone ^1", "a 1.0.0": ""},
			"a 1.0.0, top: no version of gone satisfies ^1",
		},
		{
			"a feature that an older version has",
			index{"top 1.0.0": "a ^1 +x", "a 1.0.0": "x =\n", "a 1.1.0": ""}, "a 1.0.0",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g, err := graph.NewLookup(t.Context(), row.index).Run(cargo.Resolve,
				catalog.VersionKey{System: catalog.Cargo, Name: "top", Version: "1.0.0"})
			if err != nil {
				t.Fatal(err)
			}
			var list, bad []string
			for i, n := range g.Nodes {
				if i > 0 {
					list = append(list, n.Key.Name+" "+n.Key.Version)
				}
				for _, e := range n.Errors {
					bad = append(bad, n.Key.Name+": "+e)
				}
			}
			slices.Sort(list)
			if g.Problem != "" {
				bad = append(bad, g.Problem)
			}
			if got := strings.Join(append(list, bad...), ", "); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}
