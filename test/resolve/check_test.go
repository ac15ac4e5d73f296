//go:build resolve

package resolve_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
)

// target is how much of an ecosystem must agree, in percent.
const target = 95

// TestResolveCheck resolves well-known packages with the ecosystem's own tool and
// with Stoa, from the registries that this machine uses, and prints how far they
// agree. STOA_RESOLVE_CHECK names the ecosystems, or all; STOA_RESOLVE_ONLY packages
// of them. Answers of the tools are kept in .cache/resolve for a day.
func TestResolveCheck(t *testing.T) {
	wanted := os.Getenv("STOA_RESOLVE_CHECK")
	if wanted == "" {
		t.Fatal("STOA_RESOLVE_CHECK names no ecosystem; make resolve-check sets it")
	}
	for _, tool := range tools() {
		if wanted != "all" && !slices.Contains(strings.Split(wanted, ","), tool.name) {
			continue
		}
		t.Run(tool.name, func(t *testing.T) { compareAll(t, tool) })
	}
}

// row is one package of a list and what became of it.
type row struct {
	name, version string
	tool, stoa    []string
	problem       string
	took          time.Duration
	// unasked is set when one of the two gave no answer: there is nothing to compare.
	unasked bool
}

func compareAll(t *testing.T, tool tool) {
	if err := tool.ready(); err != nil {
		t.Fatalf("%s is not usable: %v", tool.name, err)
	}
	h := online(t)
	list := readList(t, tool.name)
	var group sync.WaitGroup
	var identical, compared atomic.Int64
	places := make(chan struct{}, 3)
	for i := range list {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			list[i].fill(t, h, tool)
			if list[i].report(t) {
				identical.Add(1)
			}
			if !list[i].unasked {
				compared.Add(1)
			}
		})
	}
	group.Wait()
	same := int(identical.Load())
	share := 100 * same / max(1, len(list))
	t.Logf("%s: %d of %d identical, %d %%; %d compared", tool.name, same, len(list), share, compared.Load())
	if share < target && os.Getenv("STOA_RESOLVE_ONLY") == "" {
		t.Errorf("%s: %d %% identical, want %d", tool.name, share, target)
	}
}

// online is a server that asks the registries of this machine.
func online(t *testing.T) *identitytest.Server {
	return identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Discover, c.FetchesPerHour, c.PullTimeout = packages.DiscoverTrue, 1_000_000, time.Minute
		c.Python = pythonVersion()
		return packages.New(w, identity, c, os.Getenv).Module()
	})
}

// readList reads name and version, one package a line.
func readList(t *testing.T, name string) []row {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var list []row
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, version, _ := strings.Cut(lines.Text(), " ")
		only := os.Getenv("STOA_RESOLVE_ONLY")
		if name == "" || only != "" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		list = append(list, row{name: name, version: version})
	}
	return list
}

// fill resolves one package both ways.
func (r *row) fill(t *testing.T, h *identitytest.Server, tool tool) {
	var err error
	if r.tool, err = tool.cached(r.name, r.version); err != nil {
		r.problem, r.unasked = "tool: "+err.Error(), true
		return
	}
	start := time.Now()
	r.stoa, err = ask(h, tool.system, r.name, r.version)
	r.took = time.Since(start)
	if err != nil {
		r.problem, r.unasked = "stoa: "+err.Error(), errors.Is(err, errNoAnswer)
	}
}

// report prints the comparison of one package.
func (r *row) report(t *testing.T) bool {
	missing, extra := without(r.tool, r.stoa), without(r.stoa, r.tool)
	if len(missing)+len(extra) == 0 && !r.unasked {
		t.Logf("  =  %s %s (%d) %.1fs %s", r.name, r.version, len(r.tool), r.took.Seconds(), r.problem)
		return true
	}
	t.Logf(
		"  X  %s %s (%d): missing %q, extra %q %s", r.name, r.version, len(r.tool), short(missing),
		short(extra), r.problem,
	)
	return false
}

func short(list []string) []string { return list[:min(12, len(list))] }
