package resolve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// A marker of a million parentheses would overflow the stack of the library,
// which no recover mends. The graph says what is wrong instead.
func TestDeepRequirementsAreRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("(", 4<<20)
	for system, needs := range map[catalog.System]*catalog.Requirements{
		catalog.PyPI: {
			PyPI: &catalog.PyPIRequirements{Dependencies: []catalog.PyPIRequirement{{Name: "b", Marker: deep}}},
		},
		catalog.NPM: {
			NPM: &catalog.NPMRequirements{
				Dependencies: catalog.NPMDependencies{
					Dependencies: []catalog.Requirement{{Name: "b", Requirement: deep}},
				},
			},
		},
		catalog.Maven: {
			Maven: &catalog.MavenRequirements{Dependencies: []catalog.MavenDependency{{Name: "a:b", Version: deep}}},
		},
		catalog.Cargo: {
			Cargo: &catalog.CargoRequirements{
				Dependencies: []catalog.CargoRequirement{{Name: "b", Requirement: deep}},
			},
		},
	} {
		name := map[bool]string{true: "a:a", false: "a"}[system == catalog.Maven]
		s := shelf{system, map[string]*catalog.Requirements{name + " 1.0.0": needs, "b 1.0.0": {}}}
		g, err := resolve.Resolve(
			t.Context(), s, catalog.VersionKey{System: system, Name: name, Version: "1.0.0"},
			resolve.Options{Python: "3.11.7"},
		)
		if err != nil || !strings.Contains(g.Problem, "longer than any package manager writes") {
			t.Errorf("%s: %+v, %v, want the problem", system, g, err)
		}
	}
}

// wide lists many versions of every package, each of which needs all others in
// words of its own.
type wide struct{ names, versions int }

func (w wide) Package(_ context.Context, k catalog.PackageKey, _ graph.Reach) ([]byte, error) {
	var b strings.Builder
	for i := range w.versions {
		fmt.Fprintf(&b, `,{"versionKey":{"system":"CARGO","name":%q,"version":"1.0.%d"}}`, k.Name, i)
	}
	return []byte(`{"versions":[` + b.String()[1:] + `]}`), nil
}

func (w wide) Version(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return []byte(`{}`), nil
}

func (w wide) Files(context.Context, catalog.VersionKey) (graph.Files, error) {
	return graph.Files{}, nil
}

func (w wide) Requirements(_ context.Context, k catalog.VersionKey, _ graph.Reach) ([]byte, error) {
	var b strings.Builder
	for i := range w.names {
		fmt.Fprintf(&b, `,{"name":"p%d","requirement":">=1.0.0, <9.0.%s"}`, i, k.Name[1:])
	}
	return []byte(`{"cargo":{"dependencies":[` + b.String()[1:] + `]}}`), nil
}

// A graph ends when its steps are used up.
func TestStepsEndAResolution(t *testing.T) {
	t.Parallel()
	g, err := resolve.Resolve(t.Context(), wide{200, 600}, catalog.VersionKey{
		System: catalog.Cargo, Name: "p0", Version: "1.0.0",
	}, resolve.Options{Python: "3.11.7"})
	if err != nil || !strings.Contains(g.Problem, "steps") {
		t.Errorf("%d nodes, problem %q, %v, want the steps named", len(g.Nodes), g.Problem, err)
	}
}

// raw answers every question of requirements with the same bytes.
type raw struct {
	shelf
	text []byte
}

func (r raw) Requirements(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return r.text, nil
}

// FuzzRequirements resolves any published text: it ends, and with a graph or an
// error.
func FuzzRequirements(f *testing.F) {
	fuzztest.Add(
		f, 0,
		[]byte(
			`{"pypi":{"dependencies":[{"projectName":"b","versionSpecifier":">=1","environmentMarker":"python_version < '3'"}]}}`,
		),
	)
	fuzztest.Add(f, 0, []byte(`{"pypi":{"dependencies":[{"projectName":"b","environmentMarker":"((((("}]}}`))
	fuzztest.Add(f, 1, []byte(`{"npm":{"dependencies":{"dependencies":[{"name":"b","requirement":"^1 || >2 <3"}]}}}`))
	fuzztest.Add(
		f, 2,
		[]byte(
			`{"maven":{"dependencies":[{"name":"b:b","version":"${x}"}],"properties":[{"name":"x","value":"${x}${x}"}]}}`,
		),
	)
	fuzztest.Add(f, 3, []byte(`{"cargo":{"dependencies":[{"name":"b","requirement":">=1, <2"}]}}`))
	f.Fuzz(func(t *testing.T, pick int, text []byte) {
		systems := []catalog.System{catalog.PyPI, catalog.NPM, catalog.Maven, catalog.Cargo}
		system := systems[uint(pick)%4]
		name := map[bool]string{true: "a:a", false: "a"}[system == catalog.Maven]
		s := shelf{system, map[string]*catalog.Requirements{name + " 1.0.0": {}, "b 1.0.0": {}, "b:b 1.0.0": {}}}
		g, err := resolve.Resolve(t.Context(), raw{s, text}, catalog.VersionKey{
			System: system, Name: name, Version: "1.0.0",
		}, resolve.Options{Python: "3.11.7"})
		if err == nil && (g == nil || len(g.Nodes) == 0) {
			t.Error("neither a graph nor an error")
		}
		if err == nil && g.Nodes[0].Relation != graph.Self {
			t.Errorf("the first node is %+v, want the root", g.Nodes[0])
		}
	})
}
