package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// TestNoticesAFault is the short form of make mutate: faults of one service, and a
// suite that must fail with each of them and pass without.
func TestNoticesAFault(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	trial, err := newTrial(t.Context(), root, []string{"labels"}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer trial.close()
	done, err := trial.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(done) != 3 {
		t.Errorf("%d faults tried, want 3", len(done))
	}
	for _, o := range done {
		if o.By == "" {
			t.Errorf("%s:%d %s %s was not noticed", o.File, o.Line, o.Kind, o.What)
		}
	}
}

// TestFindsFaultsInEveryService guards against a service that is left out because
// its files or functions are called differently.
func TestFindsFaultsInEveryService(t *testing.T) {
	t.Parallel()
	// All at once: the go command takes as long for one service as for all of them.
	var names []string
	for _, s := range conformance.Services() {
		names = append(names, s.Name)
	}
	list, err := load("../..", names...)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]map[string]int{}
	for _, p := range list {
		service := serviceOf(p.PkgPath)
		if kinds[service] == nil {
			kinds[service] = map[string]int{}
		}
		for i, f := range p.Syntax {
			source, err := os.ReadFile(p.CompiledGoFiles[i])
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range find(p, f, source) {
				kinds[service][found.Kind]++
			}
		}
	}
	for _, name := range names {
		if of := kinds[name]; of["check"]+of["status"]+of["member"] < 8 {
			t.Errorf("%s has %v, too few for a sample", name, of)
		}
		t.Logf("%s: %v", name, kinds[name])
	}
}

func TestApplyKeepsTheOrderOfEdits(t *testing.T) {
	t.Parallel()
	got := string(apply([]byte("if a { b(c) }"), []edit{
		{3, 3, "("}, {4, 4, ") && x"}, {9, 9, "f("}, {10, 10, ")"},
	}))
	if want := "if (a) && x { b(f(c)) }"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if strings.Contains(string(apply([]byte("abc"), []edit{{0, 1, ""}})), "a") {
		t.Error("a replaced byte is still there")
	}
}

// TestReached asks for the suites of a service that run one of its packages.
func TestReached(t *testing.T) {
	t.Parallel()
	const events = module + "internal/service/events"
	names := map[string]string{events: "events", events + "/hooks": "hooks", events + "/payload": "payload"}
	for from, want := range map[string][]string{
		events: {events, events + "/hooks", events + "/payload"}, events + "/payload": {events + "/payload"},
	} {
		got, err := reached("../..", from, names)
		if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
			t.Errorf("%s runs %v: %v, want %v", from, got, err, want)
		}
	}
}
