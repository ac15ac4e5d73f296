package resolve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// recording is what a tool resolved, and for what.
type recording struct {
	system catalog.System
	// python is the version of Python that pip ran on.
	python string
	graphs []recordedGraph
}

type recordedGraph struct {
	name, version string
	nodes         []string
}

// readRecording reads the tool's results: a line for each package and, indented, one
// for each version that it would install with it.
func readRecording(t *testing.T, file string) (r recording) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		node, isNode := strings.CutPrefix(line, "\t")
		first, second, _ := strings.Cut(line, " ")
		switch {
		case isNode:
			last := &r.graphs[len(r.graphs)-1]
			last.nodes = append(last.nodes, node)
		case first == "system":
			r.system = catalog.System(second)
		case first == "python":
			r.python = second
		default:
			r.graphs = append(r.graphs, recordedGraph{name: first, version: second})
		}
	}
	return r
}

// TestRecorded resolves a few packages of each ecosystem offline, from what their
// registry told when the tool's own result was recorded beside it (make resolve-record),
// and wants the same versions.
func TestRecorded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "recorded", "*.result"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%q, %v; want a recording of each of five ecosystems", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".result"), func(t *testing.T) {
			t.Parallel()
			r := readRecording(t, file)
			h := offline(t, r.python)
			command(t, h, "packages import", strings.TrimSuffix(file, ".result")+".dump.gz")
			if len(r.graphs) < 4 {
				t.Errorf("%d graphs are recorded", len(r.graphs))
			}
			for _, g := range r.graphs {
				got, err := ask(h, r.system, g.name, g.version)
				if err != nil {
					t.Errorf("%s %s: %v", g.name, g.version, err)
				}
				if missing, extra := without(g.nodes, got), without(got, g.nodes); len(missing)+len(extra) > 0 {
					t.Errorf("%s %s: missing %q, extra %q", g.name, g.version, missing, extra)
				}
			}
		})
	}
}

func offline(t *testing.T, python string) *identitytest.Server {
	t.Helper()
	return identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Offline = true
		if python != "" {
			c.Python = python
		}
		return packages.New(w, identity, c, func(string) string { return "" }).Module()
	})
}

// command runs a command of the service on a file.
func command(t *testing.T, h *identitytest.Server, path, file string) {
	t.Helper()
	for _, c := range h.Module.Commands {
		if c.Path != path {
			continue
		}
		in := &module.Input{Values: map[string][]string{"file": {file}}, Progress: func(module.Progress) {}}
		if _, err := c.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("there is no command %q", path)
}
