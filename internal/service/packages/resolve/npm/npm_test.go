package npm

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// TestChoose: what is tagged latest goes first, deprecated versions last.
func TestChoose(t *testing.T) {
	t.Parallel()
	list := make([]graph.Listed, 4)
	for i, v := range []string{"1.0.0", "1.1.0", "1.2.0", "2.0.0"} {
		list[i].Key.Version = v
	}
	list[1].Default, list[2].Withdrawn = true, true
	for spec, want := range map[string]string{
		"^1": "1.1.0", "*": "1.1.0", "latest": "1.1.0", ">=1.2": "2.0.0", "~1.2": "1.2.0", "^3": "", "next": "",
	} {
		if got := choose(list, spec); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
	for _, row := range []struct {
		list []string
		want bool
	}{
		{nil, true}, {[]string{"linux"}, true}, {[]string{"darwin"}, false}, {[]string{"!win32"}, true},
		{[]string{"!linux"}, false},
	} {
		if got := admits(row.list, "linux"); got != row.want {
			t.Errorf("%v: %v", row.list, got)
		}
	}
}

// far is a registry of packages with one version each, by name what that needs; a
// list tells requirements, so that these are there once the list was asked for.
type far struct {
	needs map[string]string

	mu    sync.Mutex
	asked []string
}

func (f *far) Package(_ context.Context, k catalog.PackageKey, r graph.Reach) ([]byte, error) {
	if r == graph.Stored {
		return nil, graph.ErrElsewhere
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, k.Name)
	return []byte(`{"versions":[{"versionKey":{"version":"1.0.0"}}]}`), nil
}

func (f *far) Requirements(_ context.Context, k catalog.VersionKey, _ graph.Reach) ([]byte, error) {
	return []byte(`{"npm":{"dependencies":{"dependencies":[` + f.needs[k.Name] + `]}}}`), nil
}

func (f *far) Version(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (f *far) Files(context.Context, catalog.VersionKey) (graph.Files, error) {
	return graph.Files{}, nil
}

// TestAsksAhead: a deep tree is known after two passes, each package asked for
// once, and one at an address not at all.
func TestAsksAhead(t *testing.T) {
	t.Parallel()
	store := &far{needs: map[string]string{
		"root": `{"name":"a","requirement":"^1"},{"name":"b","requirement":"*"}`,
		"a":    `{"name":"c","requirement":"^1"},{"name":"e","requirement":"git+https://code.example/e"}`,
		"b":    `{"name":"c","requirement":"1"}`,
		"c":    `{"name":"d","requirement":"^1"}`,
		"d":    `{"name":"a","requirement":"^1"}`,
	}}
	passes := 0
	g, err := graph.NewLookup(t.Context(), store).Run(
		func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
			passes++
			return Resolve(l, root)
		}, catalog.VersionKey{System: catalog.NPM, Name: "root", Version: "1.0.0"})
	if err != nil || len(g.Nodes) != 5 || passes != 2 {
		t.Errorf("%+v, %v after %d passes", g, err, passes)
	}
	slices.Sort(store.asked)
	if got := strings.Join(store.asked, " "); got != "a b c d" {
		t.Errorf("asked for %q", got)
	}
}
