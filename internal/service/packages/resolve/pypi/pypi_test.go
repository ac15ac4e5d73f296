package pypi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
	"stoa.dev/stoa/internal/service/packages/resolve/pypi"
)

// index is versions by "name version": a line for each requirement, with
// "python", "file" and "unknown" as words of their own, "far" for what is asked
// for of a registry.
type index map[string]string

func (x index) Package(_ context.Context, k catalog.PackageKey, r graph.Reach) ([]byte, error) {
	p := catalog.Package{Key: k}
	for key, text := range x {
		name, version, _ := strings.Cut(key, " ")
		if name != k.Name {
			continue
		}
		if r == graph.Stored && strings.Contains(text, "far") {
			return nil, graph.ErrElsewhere
		}
		p.Versions = append(
			p.Versions, catalog.Version{Key: k.At(version), Deprecated: strings.Contains(text, "yanked")},
		)
	}
	p.Normalize()
	if len(p.Versions) == 0 {
		return nil, graph.ErrNotFound
	}
	var list []string
	for _, v := range p.Versions {
		list = append(list, fmt.Sprintf(`{"versionKey":{"version":%q},"isDeprecated":%v}`, v.Key.Version, v.Deprecated))
	}
	return []byte(`{"versions":[` + strings.Join(list, ",") + `]}`), nil
}

func (x index) Version(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (x index) Files(_ context.Context, k catalog.VersionKey) (graph.Files, error) {
	var f graph.Files
	for line := range strings.Lines(x[k.Name+" "+k.Version]) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "python":
			f.Python = rest
		case "file":
			f.Names = append(f.Names, rest)
		}
	}
	return f, nil
}

func (x index) Requirements(_ context.Context, k catalog.VersionKey, _ graph.Reach) ([]byte, error) {
	text, ok := x[k.Name+" "+k.Version]
	if !ok {
		return nil, graph.ErrNotFound
	}
	r := &catalog.PyPIRequirements{}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "python":
			r.Python = rest
		case "unknown":
			r.Unknown = rest
		case "file", "yanked", "far", "":
		default:
			spec, marker, _ := strings.Cut(rest, ";")
			name, extras, _ := strings.Cut(word, "[")
			r.Dependencies = append(r.Dependencies, catalog.PyPIRequirement{
				Name: name, Extras: strings.Trim(extras, "]"), Specifier: strings.TrimSpace(spec), Marker: marker,
			})
		}
	}
	return json.Marshal(catalog.Requirements{PyPI: r})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		index index
		want  string
	}{
		{"newest", index{"top 1": "a", "a 1": "", "a 2": "", "a 3rc1": ""}, "a 2"},
		{"pre-releases where there is nothing else", index{"top 1": "a", "a 1rc1": ""}, "a 1rc1"},
		{"pre-releases where one is named", index{"top 1": "a >=2rc1", "a 1": "", "a 2rc2": ""}, "a 2rc2"},
		{"yanked", index{"top 1": "a", "a 1": "", "a 2": "yanked"}, "a 1"},
		{"yanked and pinned", index{"top 1": "a ==2", "a 1": "", "a 2": "yanked"}, "a 2"},
		{
			"the index's Requires-Python",
			index{"top 1": "a", "a 1": "", "a 2": "python >=3.12", "a 1.5": "python >=3.11,<4"}, "a 1.5",
		},
		{
			"a wheel for another platform",
			index{"top 1": "a", "a 1": "", "a 2": "file a-2-cp311-cp311-win_amd64.whl"}, "a 1",
		},
		{
			"a wheel for another Python",
			index{"top 1": "a", "a 1": "", "a 2": "file a-2-cp312-cp312-manylinux_2_17_x86_64.whl"}, "a 1",
		},
		{
			"a wheel of the stable interface",
			index{"top 1": "a", "a 1": "", "a 2": "file a-2-cp38-abi3-manylinux_2_17_x86_64.whl"}, "a 2",
		},
		{"markers", index{
			"top 1": `a ;python_version < "3.12" and sys_platform == "linux"` + "\n" + `b ;os_name == "nt" or platform_machine in "arm64"`,
			"a 1":   "", "b 1": "",
		}, "a 1"},
		{"extras however a package is reached", index{
			"top 1": "b\na", "a 1": "b[x]", "b 1": `c ;extra == "X"`, "c 1": "",
		}, "a 1, b 1, c 1"},
		{"extras of extras", index{
			"top 1": "a[all]", "a 1": `a[one,two] ;extra == "all"` + "\n" + `b ;extra == "one"` + "\n" + `c ;extra == "two"`,
			"b 1": "", "c 1": "",
		}, "a 1, b 1, c 1"},
		{"one version for extras and without", index{
			"top 1": "a[x]\nb", "a 1": "", "a 2": "", "b 1": "a <2",
		}, "a 1, b 1"},
		{"backtracking", index{
			"top 1": "a\nb", "a 2": "c >=2", "a 1": "c >=1", "b 1": "c <2", "c 1": "", "c 2": "",
		}, "a 1, b 1, c 1"},
		{"a circle", index{"top 1": "a", "a 1": "top"}, "a 1"},
		{"two names that need each other", index{"top 1": "a", "a 1": "b", "b 1": "a"}, "a 1, b 1"},
		{"nothing fits", index{"top 1": "a\nb <2", "a 1": "b >=2", "b 1": "", "b 2": ""},
			"no set of versions satisfies all requirements: top 1 needs b <2; a 1 needs b >=2"},
		{"unknown requirements", index{"top 1": "a", "a 1": "unknown they were not written down"},
			"a 1, a: its requirements are not known: they were not written down"},
		{"a name the index lacks", index{"top 1": "a\nb", "a 1": ""}, "a 1, top: no version of b was found"},
		{"what registries are asked for", index{"top 1": "far\na", "a 1": "far\nb", "b 1": "far"}, "a 1, b 1"},
		{"compatible release", index{"top 1": "a ~=1.4", "a 1.3": "", "a 1.9": "", "a 2.0": ""}, "a 1.9"},
		{"prefix", index{"top 1": "a ==1.4.*", "a 1.4": "", "a 1.4.9": "", "a 1.40": ""}, "a 1.4.9"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := resolved(t, row.index, "3.11.7"); !strings.HasPrefix(got, row.want) {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// resolved prints what top needs.
func resolved(t *testing.T, x index, python string) string {
	t.Helper()
	resolve, err := pypi.Resolver(python)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.NewLookup(t.Context(), x).Run(
		resolve, catalog.VersionKey{System: catalog.PyPI, Name: "top", Version: "1"},
	)
	if err != nil {
		t.Fatal(err)
	}
	var list, bad []string
	seen := map[catalog.VersionKey]bool{}
	for i, n := range g.Nodes {
		if seen[n.Key] {
			t.Errorf("%s is there twice", n.Key)
		}
		seen[n.Key] = true
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
	return strings.Join(append(list, bad...), ", ")
}

func TestPython(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"3.13": true, "3.11.7": true, "3": false, "2.7": false, "3.14rc1": false, "": false,
	} {
		if err := pypi.ParsePython(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	// A series stands for its newest patch release.
	x := index{"top 1": "a", "a 1": "", "a 2": "python >=3.13.4"}
	if diff := cmp.Diff(
		[]string{"a 2", "a 1"}, []string{resolved(t, x, "3.13"), resolved(t, x, "3.13.1")},
	); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
