package recipe_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// multipliers are short texts that stand for much: each was accepted, or took
// long, before what they stand for was counted.
func multipliers() map[string]string {
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	numbered := func(n int, format string) string {
		return lines(n, func(i int) string { return fmt.Sprintf(format, i) })
	}
	jobs := numbered(400, "  j%d: {steps: *s}\n")
	uses := "workflows: {w: {jobs: [" + numbered(400, "j%d,\n    ") + "]}}\n"
	chain := lines(499, func(i int) string { return fmt.Sprintf("{job: {name: n%d, requires: [n%d]}},\n    ", i, i+1) })
	return map[string]string{
		"one long command in many steps": "version: 2\nx-s: &s\n" +
			strings.Repeat("  - run: &c "+strings.Repeat("x", 50_000)+"\n", 1) +
			strings.Repeat("  - run: *c\n", 200) + "jobs:\n" + jobs + uses,
		"one environment in many steps": "version: 2\nx-e: &e {" + numbered(400, "V%d: 1,\n    ") + "}\nx-s: &s\n" +
			strings.Repeat("  - run: {command: x, environment: *e}\n", 200) + "jobs:\n" + jobs + uses,
		"one list of paths in many steps": "version: 2\nx-p: &p [" + numbered(2000, "p%d,\n    ") + "]\nx-s: &s\n" +
			strings.Repeat("  - save_cache: {key: k, paths: *p}\n", 100) + "jobs:\n" + jobs + uses,
		"many steps in many jobs": "version: 2\nx-s: &s [" + strings.Repeat("checkout,\n    ", 400) + "]\njobs:\n" +
			jobs + uses,
		"many requirements": "version: 2\nx-r: &r [" + numbered(400, "j%d,\n    ") + "]\njobs:\n" +
			numbered(400, "  j%d: {steps: [checkout]}\n") + "workflows: {w: {jobs: [" + numbered(400, "j%d,\n    ") +
			numbered(90, "{j0: {name: k%d, requires: *r}},\n    ") + strings.Repeat("{j0: {requires: *r}},\n    ", 300) +
			"]}}\n",
		"more uses than jobs": "version: 2\njobs: {job: {steps: [checkout]}}\nworkflows: {w: {jobs: [" +
			strings.Repeat("job,\n    ", 40_000) + "]}}\n",
		"uses in many workflows": "version: 2\njobs: {job: {steps: [checkout]}}\nworkflows: {" +
			numbered(20, "w%d: {jobs: ["+strings.Repeat("job,\n    ", 40)+"]},\n    ") + "}\n",
		"a circle of uses": "version: 2\njobs: {job: {steps: [checkout]}}\nworkflows: {w: {jobs: [" + chain +
			"{job: {name: n499, requires: [n0]}}]}}\n",
		"many parameters": "version: 2.1\ncommands: {c: {parameters: {" +
			numbered(5000, "p%d: {type: string, default: x},\n    ") + "}, steps: []}}\njobs: {a: {steps: [c]}}\n",
		"a pattern that repeats": "version: 2\njobs: {a: {steps: [checkout], branches: {only: '/" +
			strings.Repeat("x{1000}", 60) + "/'}}}\n",
		"many patterns": "version: 2\njobs: {a: {steps: [checkout]}}\nworkflows: {w: {jobs: [{a: {filters: " +
			"{branches: {only: [" +
			numbered(200, "'/x{900}%d/',\n    ") + "]}}}}]}}\n",
		"a pattern on a long text": "version: 2.1\nparameters: {p: {type: string, default: " +
			strings.Repeat("x", 100_000) + "}}\njobs: {a: {steps: [checkout]}}\n" +
			"workflows: {w: {when: {matches: {pattern: '(x?){100}y', value: << pipeline.parameters.p >>}}, jobs: " +
			"[a]}}\n",
		"a matrix in many workflows": "version: 2.1\njobs: {a: {parameters: {x: {type: string}, y: {type: string}}, " +
			"steps: [{run: << parameters.x >>}]}}\nworkflows: {" + numbered(20, "w%d: {jobs: [{a: {matrix: {parameters: "+
			"{x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], y: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}}}]},\n    ") + "}\n",
		"steps that hand on steps": "version: 2.1\ncommands:\n" + numbered(9, "  c%[1]d: {parameters: {s: {type: steps, "+
			"default: []}}, steps: [{steps: << parameters.s >>}, {steps: << parameters.s >>}, {run: x}]}\n") +
			"jobs: {a: {steps: [" + lines(9, func(i int) string { return fmt.Sprintf("{c%d: {s: [", i) }) +
			"{run: x}" + strings.Repeat("]}}", 9) + "]}}\n",
		"blocks in a text": "version: 2.1\njobs: {a: {steps: [{run: \"" + strings.Repeat("<<# pipeline.git.branch >>", 2000) +
			"\"}]}}\n",
		"one parameter in many places": "version: 2.1\nparameters: {p: {type: string, default: " +
			strings.Repeat("x", 50_000) + "}}\nx-s: &s\n" +
			strings.Repeat("  - run: << pipeline.parameters.p >>\n", 200) + "jobs:\n" + jobs + uses,
	}
}

// slow are texts for which the YAML reader took up to a minute of processor and
// 30 GB of allocations.
func slow() map[string]string {
	const size = 250 << 10
	out := map[string]string{}
	for name, unit := range map[string]string{
		"stars": "*", "ampersands": "&", "braces": "{}", "tags": "!a ", "quotes": "''", "pipes": "|", "commas": "a,",
		"at":        "@ ",
		"documents": "a: 1\n---\n", "empty keys": "k:\n", "comments": "# x\n", "items": "- a\n",
		"literals": "- |\n  x\n",
	} {
		out[name] = strings.Repeat(unit, size/len(unit))
	}
	var keys strings.Builder
	for i := range size / 12 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	out["keys"] = keys.String()
	return out
}

// TestSlowTextIsRefused checks that the time of the YAML reader is bounded: what
// it allocates tells, whatever else the machine does.
func TestSlowTextIsRefused(t *testing.T) {
	var before, after runtime.MemStats
	for name, text := range slow() {
		for _, part := range []string{text, text[:100_000], text[:20_000]} {
			runtime.ReadMemStats(&before)
			if _, err := recipe.Parse([]byte(part)); err == nil {
				t.Errorf("%s: it was accepted", name)
			}
			runtime.ReadMemStats(&after)
			if made := after.TotalAlloc - before.TotalAlloc; made > 300<<20 {
				t.Errorf("%s: %d bytes made it allocate %d MiB", name, len(part), made>>20)
			}
		}
	}
}

// maxPlanned is far below what the texts above stand for.
const maxPlanned = 24 << 20

func TestMultipliersAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range multipliers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := recipe.Parse([]byte(text))
			if err == nil {
				_, err = f.Plan(recipe.Revision{Branch: strings.Repeat("x", 200)})
			}
			if err == nil {
				t.Fatal("it was planned, want a refusal")
			}
			if strings.Contains(err.Error(), "nested") || strings.Contains(err.Error(), "not YAML") {
				t.Errorf("refused for another reason: %v", err)
			}
			if len(err.Error()) > 4<<10 {
				t.Errorf("a refusal of %d bytes: %.200s", len(err.Error()), err)
			}
		})
	}
}

// TestRefusalTakesLittle checks that the texts are refused while they grow, not
// afterwards.
func TestRefusalTakesLittle(t *testing.T) {
	var before, after runtime.MemStats
	for name, text := range multipliers() {
		runtime.ReadMemStats(&before)
		if f, err := recipe.Parse([]byte(text)); err == nil {
			_, _ = f.Plan(recipe.Revision{Branch: "main"}) // the size is what counts
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 256<<20 {
			t.Errorf("%s: %d MiB were allocated", name, made>>20)
		}
	}
}

// TestLargeFileIsFine checks that the bounds are above what a large project has.
func TestLargeFileIsFine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("version: 2.1\nx-s: &s\n")
	for i := range 30 {
		fmt.Fprintf(&b, "  - run: {name: step %d, command: make target-%d, environment: {A: x, B: y}}\n", i, i)
	}
	b.WriteString("jobs:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "  j%d: {steps: *s, environment: {N: '%d'}}\n", i, i)
	}
	b.WriteString("workflows: {w: {jobs: [j0")
	for i := range 199 {
		fmt.Fprintf(&b, ",\n    {j%d: {requires: [j%d], filters: {branches: {only: '/release-.*|main/'}}}}", i+1, i)
	}
	b.WriteString("]}}\n")
	f := parse(t, b.String())
	jobs, err := f.Plan(recipe.Revision{Branch: "main"})
	if err != nil || len(jobs) != 200 {
		t.Fatalf("%d jobs, %v, want 200", len(jobs), err)
	}
	raw, err := json.Marshal(jobs)
	if err != nil || len(raw) > maxPlanned {
		t.Errorf("a plan of %d bytes, %v", len(raw), err)
	}
}
