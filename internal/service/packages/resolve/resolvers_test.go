package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// needed is what a root needs, sorted, with errors behind it.
func needed(t *testing.T, s shelf, name, version string) string {
	t.Helper()
	root := catalog.VersionKey{System: s.system, Name: name, Version: version}
	g, err := resolve.Resolve(t.Context(), s, root, resolve.Options{Python: "3.11"})
	if err != nil {
		t.Fatal(err)
	}
	if g.Nodes[0].Key != root || g.Nodes[0].Relation != graph.Self {
		t.Errorf("the first node is %+v, want the root", g.Nodes[0])
	}
	var list []string
	for _, n := range g.Nodes[1:] {
		list = append(list, n.Key.Name+" "+n.Key.Version)
	}
	slices.Sort(list)
	for _, n := range g.Nodes {
		for _, e := range n.Errors {
			list = append(list, n.Key.Name+": "+e)
		}
	}
	return strings.Join(append(list, strings.Fields(g.Problem)...), ", ")
}

// npmWords reads "name range" lines; a word before them says of which kind.
func npmWords(lines ...string) *catalog.Requirements {
	r := &catalog.Requirements{NPM: &catalog.NPMRequirements{}, Install: &catalog.Install{}}
	d := &r.NPM.Dependencies
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		name, spec, _ := strings.Cut(rest, " ")
		one := catalog.Requirement{Name: name, Requirement: spec}
		switch kind {
		case "peer":
			d.PeerDependencies = append(d.PeerDependencies, one)
		case "maybe":
			d.PeerDependencies = append(d.PeerDependencies, one)
			r.Install.OptionalPeers = append(r.Install.OptionalPeers, name)
		case "optional":
			d.OptionalDependencies = append(d.OptionalDependencies, one)
		case "os":
			r.Install.OS = append(r.Install.OS, name)
		case "cpu":
			r.Install.CPU = append(r.Install.CPU, name)
		default:
			d.Dependencies = append(d.Dependencies, one)
		}
	}
	return r
}

func TestNPM(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		needs map[string]*catalog.Requirements
		want  string
	}{
		{"peers are installed", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("peer a ^1"), "a 1.0.0": npmWords("dep b ^1"), "b 1.0.0": npmWords(), "a 2.0.0": npmWords(),
		}, "a 1.0.0, b 1.0.0"},
		{"optional peers are not", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("maybe a ^1"), "a 1.0.0": npmWords(),
		}, ""},
		{"a peer is shared", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("dep a ^1", "dep b ^1"), "a 1.0.0": npmWords("peer b ^1"), "b 1.0.0": npmWords(),
			"b 1.5.0": npmWords(),
		}, "a 1.0.0, b 1.5.0"},
		{"a peer that the requester pins", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("dep a ^1", "dep b 1.0.0"), "a 1.0.0": npmWords("peer b *"), "b 1.0.0": npmWords(),
			"b 2.0.0": npmWords(),
		}, "a 1.0.0, b 1.0.0"},
		{"an optional peer that narrows", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("dep a ^1", "maybe b ^1"), "a 1.0.0": npmWords("peer b *"), "b 1.0.0": npmWords(),
			"b 2.0.0": npmWords(),
		}, "a 1.0.0, b 1.0.0"},
		{"an alias", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("dep x npm:a@^1", "dep a ^2"), "a 1.0.0": npmWords(), "a 2.0.0": npmWords(),
		}, "a 1.0.0, a 2.0.0"},
		{"platforms of optional packages", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("optional a ^1", "optional b ^1", "optional c ^1", "optional gone ^1"),
			"a 1.0.0":   npmWords("os darwin", "dep d ^1"), "b 1.0.0": npmWords("os linux", "cpu x64"),
			"c 1.0.0": npmWords("os !linux"), "d 1.0.0": npmWords(),
		}, "b 1.0.0"},
		{"two versions", map[string]*catalog.Requirements{
			"top 1.0.0": npmWords("dep a ^1", "dep b ^1"), "a 1.0.0": npmWords(), "a 2.0.0": npmWords(),
			"b 1.0.0": npmWords("dep a ^2"),
		}, "a 1.0.0, a 2.0.0, b 1.0.0"},
		{"an address", map[string]*catalog.Requirements{"top 1.0.0": npmWords("dep a git+https://x.example/a")},
			"top: a git+https://x.example/a: it is at an address, which is not read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := needed(t, shelf{catalog.NPM, row.needs}, "top", "1.0.0"); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
	t.Run("bundled", func(t *testing.T) {
		t.Parallel()
		top := npmWords("dep a ^1")
		top.NPM.Bundled = []catalog.NPMBundle{{Path: "node_modules/a", Name: "a", Version: "1.0.0"}}
		s := shelf{catalog.NPM, map[string]*catalog.Requirements{"top 1.0.0": top, "a 1.5.0": npmWords()}}
		if got, want := needed(t, s, "top", "1.0.0"), "top>1.0.0>a 1.0.0"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func goNeeds(version string, pairs ...string) *catalog.Requirements {
	r := &catalog.Requirements{Go: &catalog.GoRequirements{}, Install: &catalog.Install{GoVersion: version}}
	for i := 0; i < len(pairs); i += 2 {
		r.Go.Direct = append(r.Go.Direct, catalog.Requirement{Name: pairs[i], Requirement: pairs[i+1]})
	}
	return r
}

func TestGo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		needs map[string]*catalog.Requirements
		want  string
	}{
		{"the greatest that is asked for", map[string]*catalog.Requirements{
			"top v1.0.0": goNeeds("1.16", "a", "v1.1.0", "b", "v1.0.0"), "b v1.0.0": goNeeds("1.16", "a", "v1.2.0"),
			"a v1.1.0": goNeeds("1.16", "c", "v1.0.0"), "a v1.2.0": goNeeds("1.16"), "a v1.9.0": goNeeds("1.16"),
			"c v1.0.0": goNeeds("1.16"),
		}, "a v1.2.0, b v1.0.0, c v1.0.0"},
		{"pruned", map[string]*catalog.Requirements{
			"top v1.0.0": goNeeds("1.21.3", "a", "v1.0.0"), "a v1.0.0": goNeeds("1.16", "b", "v1.0.0"), "b v1.0.0": goNeeds(""),
		}, "a v1.0.0"},
		{"an unknown module", map[string]*catalog.Requirements{"top v1.0.0": goNeeds("1.16", "a", "v1.0.0")},
			"a v1.0.0, a: its requirements are not known"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := needed(t, shelf{catalog.Go, row.needs}, "top", "v1.0.0"); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// TestMavenConsumer: what only the version's own build needs is not in a graph,
// its management counts for itself alone, and what has moved is where it is now.
func TestMavenConsumer(t *testing.T) {
	t.Parallel()
	top := mavenNeeds("g:a", "1.0", "g:moved", "1.0", "g:t", "1.0", "g:o", "1.0", "g:p", "1.0")
	list := top.Maven.Dependencies
	list[2].Scope, list[3].Optional, list[4].Scope = "test", "true", "provided"
	top.Maven.Management = mavenNeeds("g:b", "2.0").Maven.Dependencies
	moved := mavenNeeds()
	moved.Install = &catalog.Install{Relocation: &catalog.VersionKey{System: catalog.Maven, Name: "h:new", Version: "3.0"}}
	s := shelf{catalog.Maven, map[string]*catalog.Requirements{
		"g:top 1.0": top, "g:a 1.0": mavenNeeds("g:b", "1.0"), "g:b 1.0": mavenNeeds(), "g:b 2.0": mavenNeeds(),
		"g:moved 1.0": moved, "h:new 3.0": mavenNeeds("g:c", "1.0"), "g:c 1.0": mavenNeeds(),
	}}
	if got, want := needed(t, s, "g:top", "1.0"), "g:a 1.0, g:b 1.0, g:c 1.0, h:new 3.0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// broken fails to answer.
type broken struct{ shelf }

func (broken) Requirements(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, errors.New("broken")
}

func TestFailuresAreReturned(t *testing.T) {
	t.Parallel()
	for _, system := range []catalog.System{catalog.NPM, catalog.Go, catalog.Cargo, catalog.PyPI} {
		s := broken{shelf{system, map[string]*catalog.Requirements{"x 1.0.0": nil}}}
		root := catalog.VersionKey{System: system, Name: "x", Version: "1.0.0"}
		g, err := resolve.Resolve(t.Context(), s, root, resolve.Options{Python: "3.11"})
		if err == nil || !strings.Contains(fmt.Sprint(err), "broken") {
			t.Errorf("%s: %+v, %v", system, g, err)
		}
	}
}
