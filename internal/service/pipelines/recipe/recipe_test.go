package recipe_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// parse reads a file that must be sound.
func parse(t *testing.T, text string) *recipe.File {
	t.Helper()
	f, err := recipe.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	return f
}

func plan(t *testing.T, text string, r recipe.Revision) []recipe.Job {
	t.Helper()
	jobs, err := parse(t, text).Plan(r)
	if err != nil {
		t.Fatalf("Plan: %v\n%s", err, text)
	}
	return jobs
}

func names(jobs []recipe.Job) string {
	var out []string
	for _, j := range jobs {
		out = append(out, j.Name)
	}
	return strings.Join(out, " ")
}

const everything = `version: 2.1
parameters:
  deep: {type: boolean, default: false}
x-defaults: &defaults
  working_directory: ~/app
  environment: {A: one, N: 1.10, B: true}
commands:
  greet:
    parameters:
      to: {type: string, default: world}
      times: {type: integer, default: 2}
    steps:
      - run: echo hello << parameters.to >> << parameters.times >>
jobs:
  build:
    <<: *defaults
    docker: [{image: "cimg/go:1.26", environment: {FROM_IMAGE: "yes"}}]
    parallelism: 3
    network: true
    timeout: 30m
    shell: /bin/sh -e
    steps:
      - checkout
      - restore_cache: {keys: ["v1-{{ .Branch }}", v1-]}
      - run: make
      - run:
          name: Test
          command: |
            cat <<EOF >>file
            make test
          shell: /bin/bash
          environment: {C: three}
          working_directory: sub
          background: true
          no_output_timeout: 90s
          when: always
          max_auto_reruns: 2
          auto_rerun_delay: 5s
      - greet: {to: you}
      - greet
      - when:
          condition: << pipeline.parameters.deep >>
          steps: [{run: deep}]
      - unless:
          condition: {equal: [a, << pipeline.git.branch >>]}
          steps: [{run: "not a"}]
      - save_cache: {key: 'v1-{{ checksum "go.sum" }}', paths: [~/go, vendor], when: on_fail}
      - persist_to_workspace: {root: ., paths: [bin/*]}
      - attach_workspace: {at: /tmp/w}
      - store_artifacts: {path: out, destination: d}
      - store_test_results: {path: results}
      - add_ssh_keys: {fingerprints: ["aa:bb"]}
`

func TestJob(t *testing.T) {
	t.Parallel()
	jobs := plan(t, everything, recipe.Revision{Branch: "main", Parameters: map[string]any{"deep": true}})
	if len(jobs) != 1 {
		t.Fatalf("%d jobs, want 1", len(jobs))
	}
	got := jobs[0]
	run := func(c string) recipe.Step {
		return recipe.Step{Kind: recipe.KindRun, Name: c, When: recipe.OnSuccess, Run: &recipe.RunStep{Command: c}}
	}
	want := recipe.Job{
		Name: "build", Base: "build", Parallelism: 3, Network: true, Timeout: 30 * time.Minute, Shell: "/bin/sh -e",
		WorkingDirectory: "~/app",
		Environment:      map[string]string{"A": "one", "N": "1.10", "B": "true", "FROM_IMAGE": "yes"},
		Notes: []string{"pipeline.yml:17:15: the image cimg/go:1.26 is not used: steps run in a sandbox with the " +
			"programs of this machine"},
		Steps: []recipe.Step{
			{Kind: recipe.KindCheckout, Name: "Checkout code", When: recipe.OnSuccess,
				Checkout: &recipe.CheckoutStep{}},
			{Kind: recipe.KindRestore, Name: "Restoring cache", When: recipe.OnSuccess,
				Restore: &recipe.RestoreCache{Keys: []string{"v1-{{ .Branch }}", "v1-"}}},
			run("make"),
			{Kind: recipe.KindRun, Name: "Test", When: recipe.Always, Run: &recipe.RunStep{
				Command: "cat <<EOF >>file\nmake test\n", Shell: "/bin/bash",
				Environment: map[string]string{"C": "three"}, WorkingDirectory: "sub",
				Background: true, Silence: 90 * time.Second, Reruns: 2, Delay: 5 * time.Second,
			}},
			run("echo hello you 2"), run("echo hello world 2"), run("deep"), run("not a"),
			{Kind: recipe.KindSave, Name: "Saving cache", When: recipe.OnFail,
				Save: &recipe.SaveCache{Key: `v1-{{ checksum "go.sum" }}`, Paths: []string{"~/go", "vendor"}}},
			{Kind: recipe.KindPersist, Name: "Persisting to workspace", When: recipe.OnSuccess,
				Persist: &recipe.Persist{Root: ".", Paths: []string{"bin/*"}}},
			{Kind: recipe.KindAttach, Name: "Attaching workspace", When: recipe.OnSuccess,
				Attach: &recipe.Attach{At: "/tmp/w"}},
			{Kind: recipe.KindStore, Name: "Uploading artifacts", When: recipe.Always,
				Artifacts: &recipe.StoreArtifacts{Path: "out", Destination: "d"}},
			{Kind: recipe.KindTests, Name: "Uploading test results", When: recipe.Always,
				Tests: &recipe.StoreTests{Path: "results"}},
			{Kind: recipe.KindKeys, Name: "Adding keys", When: recipe.OnSuccess,
				Keys: &recipe.AddKeys{Fingerprints: []string{"aa:bb"}}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
		for i := range min(len(got.Steps), len(want.Steps)) {
			if !reflect.DeepEqual(got.Steps[i], want.Steps[i]) {
				t.Errorf("step %d: got %+v %+v, want %+v", i, got.Steps[i], got.Steps[i].Run, want.Steps[i])
			}
		}
	}
	shallow := plan(t, everything, recipe.Revision{Branch: "a"})
	if len(shallow[0].Steps) != len(want.Steps)-2 {
		t.Errorf("%d steps without the conditional ones, want %d", len(shallow[0].Steps), len(want.Steps)-2)
	}
}

const flows = `version: 2.1
jobs:
  one: &job {steps: [{run: "true"}]}
  two: *job
  say: {parameters: {word: {type: enum, enum: [a, b]}}, steps: [{run: "echo << parameters.word >>"}]}
workflows:
  version: 2
  main:
    jobs:
      - last: {type: approval, requires: [two, {one: [success, failed]}]}
      - two: {requires: [one], filters: {branches: {only: [main, /release-.*/]}, tags: {ignore: /x.*/}}}
      - one: {filters: {tags: {only: /.*/}}, context: org}
      - say: {name: say-a, word: a, pre-steps: [{run: before}], post-steps: [{run: after}], filters: {branches: {ignore: main}}}
      - one
  nightly:
    triggers: [{schedule: {cron: "0 0 * * *", filters: {branches: {only: main}}}}]
    jobs: [one]
  never:
    when: {and: [true, {not: {matches: {pattern: "m.*", value: << pipeline.git.branch >>}}}, {or: [0, "x"]}]}
    jobs: [two]
`

func TestWorkflows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		at   recipe.Revision
		want string
	}{
		{"branch", recipe.Revision{Branch: "main"}, "one one-1 two last"},
		{"expression", recipe.Revision{Branch: "release-1"}, "one say-a one-1 two last two"},
		{"expression matches in full", recipe.Revision{Branch: "old-release-1"}, "one say-a one-1 two"},
		{"condition", recipe.Revision{Branch: "other"}, "one say-a one-1 two"},
		{"tag", recipe.Revision{Tag: "v1"}, "one two"},
		{"ignored tag", recipe.Revision{Tag: "x1"}, "one"},
		{"one job by name", recipe.Revision{Branch: "main", Only: "two"}, "two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := names(plan(t, flows, tc.at)); got != tc.want {
				t.Errorf("planned %q, want %q", got, tc.want)
			}
		})
	}
	jobs := plan(t, flows, recipe.Revision{Branch: "main"})
	last := jobs[len(jobs)-1]
	if !last.Approval || !reflect.DeepEqual(last.Requires, []string{"two", "one"}) ||
		!reflect.DeepEqual(last.After, map[string][]string{"one": {"success", "failed"}}) || last.Workflow != "main" {
		t.Errorf("last = %+v", last)
	}
	if !reflect.DeepEqual(jobs[0].Contexts, []string{"org"}) {
		t.Errorf("contexts %q", jobs[0].Contexts)
	}
	said := plan(t, flows, recipe.Revision{Branch: "b"})[1]
	if said.Base != "say" || len(said.Steps) != 3 || said.Steps[0].Run.Command != "before" ||
		said.Steps[1].Run.Command != "echo a" || said.Steps[2].Run.Command != "after" {
		t.Errorf("say-a = %+v", said)
	}
	alone, err := parse(t, flows).Plan(recipe.Revision{Only: "say", Parameters: map[string]any{"word": "b"}})
	if err != nil || alone[0].Steps[0].Run.Command != "echo b" || alone[0].Workflow != "" {
		t.Errorf("say alone = %+v, %v", alone, err)
	}
}

func TestWithoutWorkflows(t *testing.T) {
	t.Parallel()
	const text = "version: 2\njobs:\n  build:\n    branches: {ignore: [gh-pages]}\n    steps: [{run: 'echo << x >>'}]\n"
	jobs := plan(t, text, recipe.Revision{Branch: "main"})
	if names(jobs) != "build" || jobs[0].Steps[0].Run.Command != "echo << x >>" ||
		jobs[0].Shell != "/bin/bash -eo pipefail" {
		t.Errorf("jobs = %+v", jobs)
	}
	if jobs := plan(t, text, recipe.Revision{Branch: "gh-pages"}); len(jobs) != 0 {
		t.Errorf("an ignored branch runs %s", names(jobs))
	}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	f := parse(t, "version: 2\nnotify: {webhooks: [{url: 'https://a.example/x'}]}\njobs: {build: {steps: "+
		"[checkout]}}\n")
	if !reflect.DeepEqual(f.Webhooks, []string{"https://a.example/x"}) {
		t.Errorf("webhooks %q", f.Webhooks)
	}
}

// TestMistakes names the line and says what to do.
func TestMistakes(t *testing.T) {
	t.Parallel()
	job := func(body string) string { return "version: 2.1\njobs:\n  build:\n" + body }
	steps := func(body string) string { return job("    steps:\n" + body) }
	flow := func(body string) string {
		return "version: 2.1\njobs:\n  a: {steps: [checkout]}\n  b: {steps: [checkout]}\nworkflows:\n  w:\n    " +
			"jobs:\n" + body
	}
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "pipeline.yml: the file is empty"},
		{"comment only", "# nothing\n", "pipeline.yml: the file is empty"},
		{"no YAML", "version: 2\njobs: [\n", "this is not YAML"},
		{"a list", "- a\n", "pipeline.yml:1:1: the file must be a map"},
		{"no version", "jobs: {}\n", "version is missing"},
		{"version", "version: 3\njobs: {}\n", "pipeline.yml:1:10: the version \"3\" is unknown"},
		{"no jobs", "version: 2.1\n", "jobs is missing"},
		{"two documents", "version: 2\n---\na: b\n", "2 documents"},
		{"key twice", "version: 2\njobs:\n  a: {steps: [checkout]}\n  a: {steps: [checkout]}\n",
			":4:3: this is not YAML: mapping key \"a\" already defined"},
		{"top key", "version: 2.1\njbos: {}\n", ":2:1: \"jbos\" is unknown"},
		{"orbs", "version: 2.1\norbs: {a: b}\n", "the orb b is not here"},
		{"job key", job("    stesp: []\n"), ":4:5: \"stesp\" is unknown here; known are"},
		{"no steps", job("    shell: sh\n"), ":4:5: the job build has no steps"},
		{"step", steps("      - chekout\n"), ":5:9: the step \"chekout\" is unknown"},
		{"step settings beside", steps("      - run: a\n        name: b\n"), "indent its settings below it"},
		{"no command", steps("      - run: {name: x}\n"), "command is missing"},
		{"empty command", steps("      - run: ' '\n"), "the command is empty"},
		{"when", steps("      - run: {command: a, when: never}\n"), "when must be on_success, on_fail or always"},
		{"duration", steps("      - run: {command: a, no_output_timeout: 10}\n"), "such as 90s, 10m"},
		{"variable", job("    environment: {1A: x}\n    steps: [checkout]\n"),
			":4:19: \"1A\" is not a name for a variable"},
		{"variable map", job("    environment: x\n    steps: [checkout]\n"), "environment must be a map"},
		{"parallelism", job("    parallelism: 65\n    steps: [checkout]\n"), "from 1 to 64"},
		{"cache key", steps("      - save_cache: {paths: [a]}\n"), "key is missing"},
		{"cache paths", steps("      - save_cache: {key: a}\n"), "paths is missing"},
		{"restore", steps("      - restore_cache: {}\n"), "needs key or keys"},
		{"alias", steps("      - *nothing\n"), "*nothing stands for nothing"},
		{"alias of itself", "version: 2\njobs: &a\n  b: *a\n", "*a stands for nothing"},
		{"tag", "version: 2\njobs: !!binary aGk=\n", "tag"},
		{"merge", "version: 2\njobs:\n  a:\n    <<: x\n    steps: [checkout]\n", "<< takes a map"},
		{"expression", steps("      - run: echo << nothing.x >>\n"), "<< nothing.x >> is unknown"},
		{"undeclared", steps("      - run: echo << parameters.x >>\n"), "no parameter \"x\" is declared here"},
		{"executor", job("    executor: e\n    steps: [checkout]\n"), "the executor \"e\" is not declared"},
		{"command in a circle", "version: 2.1\ncommands: {a: {steps: [a]}}\njobs: {build: {steps: [a]}}\n",
			"more than 20 deep"},
		{"workflow job", flow("      - c\n"), ":8:9: the job \"c\" is not declared under jobs; known are a, b"},
		{"workflow key", flow("      - a: {requrires: [b]}\n"),
			"\"requrires\" is neither a key of this place nor a declared parameter"},
		{"requires", flow("      - a: {requires: [b]}\n"), "a requires \"b\", which the workflow w does not run"},
		{"circle", flow("      - a: {requires: [b]}\n      - b: {requires: [a]}\n"), "waits for itself"},
		{"end", flow("      - a\n      - b: {requires: [{a: [gone]}]}\n"), "\"gone\" is not an end of a job"},
		{"filter", flow("      - a: {filters: {branches: {only: /(/}}}\n"), "is not understood"},
		{"empty filter", flow("      - a: {filters: {branches: {}}}\n"), "only or ignore"},
		{"matrix", flow("      - a: {matrix: {parameters: {x: [1]}}}\n"), "\"x\" is neither a key of this place"},
		{"condition", flow("      - a\n    when: {xor: [1]}\n"), "\"xor\" is not a condition"},
		{"parameter type", "version: 2.1\nparameters: {p: {type: list}}\njobs: {build: {steps: [checkout]}}\n",
			"the type \"list\" is unknown"},
		{"parameter default", "version: 2.1\nparameters: {p: {type: integer, default: x}}\njobs: {build: {steps: " +
			"[checkout]}}\n", "must be a whole number"},
		{"NUL", steps("      - run: echo \x00\n"), ":5:19: a NUL character"},
		{"not UTF-8", steps("      - run: echo \xff\n"), ":5:19: a NUL character, or bytes that are not UTF-8"},
		{"escaped NUL", steps("      - run: {command: \"echo \\0 hi\"}\n"),
			":5:24: text must not hold a NUL character"},
		{"escaped NUL in a name", steps("      - run: {command: echo, name: \"a\\x00b\"}\n"),
			"text must not hold a NUL character"},
		{"escaped NUL in a key", "version: 2.1\njobs: {\"a\\0b\": {steps: [checkout]}}\n", "a key must be plain text"},
		{"escaped surrogate", steps("      - run: \"echo \\ud800\"\n"), "this is not YAML"},
		{"too large", "version: 2\n#" + strings.Repeat("x", 300_000), "at most 262144"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := recipe.Parse([]byte(tc.text))
			var e *recipe.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Parse = %v, want %q", err, tc.want)
			}
			_, known, _ := strings.Cut(err.Error(), "known are ")
			names := strings.Split(known, ", ")
			if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) {
				t.Errorf("Parse = %v, want each known key once", err)
			}
		})
	}
}

func TestPlanMistakes(t *testing.T) {
	t.Parallel()
	const text = "version: 2.1\nparameters: {n: {type: integer}, s: {type: string, default: x}}\njobs: {a: " +
		"{parallelism: << pipeline.parameters.n >>, steps: [checkout]}, b: {steps: [checkout]}}\n"
	f := parse(t, text)
	for _, tc := range []struct {
		name string
		at   recipe.Revision
		want string
	}{
		{"unknown job", recipe.Revision{Only: "c"}, "there is no job \"c\"; known are a, b"},
		{"missing parameter", recipe.Revision{Only: "a"}, "the pipeline parameter n is missing"},
		{"unknown parameter", recipe.Revision{Parameters: map[string]any{"n": 1, "m": 2}}, "\"m\" is not declared"},
		{"type", recipe.Revision{Only: "a", Parameters: map[string]any{"n": "x"}}, "must be a whole number"},
		{"value", recipe.Revision{Only: "a", Parameters: map[string]any{"n": 100}}, "from 1 to 64"},
		{"NUL", recipe.Revision{Only: "a", Parameters: map[string]any{"n": 1, "s": "a\x00b"}},
			"the parameter s holds a NUL character"},
		{"not UTF-8", recipe.Revision{Only: "a", Parameters: map[string]any{"n": 1, "s": "a\xffb"}},
			"the parameter s holds a NUL character or bytes"},
		{"which job", recipe.Revision{Parameters: map[string]any{"n": 1}}, "2 jobs and no workflows"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if _, err := f.Plan(tc.at); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Plan = %v, want %q", err, tc.want)
			}
		})
	}
	jobs, err := f.Plan(recipe.Revision{Only: "a", Parameters: map[string]any{"n": float64(3)}})
	if err != nil || jobs[0].Parallelism != 3 {
		t.Errorf("a number out of JSON: %+v, %v", jobs, err)
	}
}

// TestBounds feeds text that is short and stands for much.
func TestBounds(t *testing.T) {
	t.Parallel()
	double := func(name string, n int, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(name)
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	letter := func(i int) string { return string(rune('a'+i%26)) + strings.Repeat("z", i/26) }
	for name, text := range map[string]string{
		"deep flow":   "version: 2\njobs: " + strings.Repeat("[", 100_000),
		"deep maps":   "version: 2\njobs: " + strings.Repeat("{a: ", 50_000),
		"dashes":      "version: 2\njobs: \n" + strings.Repeat("- ", 50_000),
		"indentation": "version: 2\n" + double("", 400, func(i int) string { return strings.Repeat(" ", i) + "a:\n" }),
		"commands": "version: 2.1\njobs: {build: {steps: [a]}}\n" + double("commands:\n", 15, func(i int) string {
			return "  " + letter(i) + ": {steps: [" + strings.Repeat(letter(i+1)+", ", 10) + "]}\n"
		}) + "  " + letter(15) + ": {steps: []}\n",
		"conditions": "version: 2.1\njobs: {build: {steps: [checkout]}}\n" +
			double("x-a:\n  - &a {and: [1, 1]}\n", 30, func(i int) string {
				return "  - &" + letter(i+1) + " {and: [*" + letter(i) + ", *" + letter(i) + "]}\n"
			}) + "workflows: {w: {when: *" + letter(30) + ", jobs: [build]}}\n",
		"text": "version: 2.1\nparameters: {p: {type: string, default: \"" + strings.Repeat("x", 100_000) +
			"\"}}\njobs:\n" +
			double("", 200, func(i int) string {
				return "  j" + letter(i) + ": {steps: [{run: << pipeline.parameters.p >> a}, {run: << " +
					"pipeline.parameters.p >> b}]}\n"
			}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := recipe.Parse([]byte(text)); err == nil {
				t.Error("Parse accepted it")
			}
		})
	}
}

// FuzzParse finds no text that panics, hangs, or is sound and cannot be
// planned twice alike.
func FuzzParse(f *testing.F) {
	fuzztest.Strings(f,
		everything,
		flows,
		"version: 2\njobs: {build: {steps: [run: x]}}",
		"a: &a [*a]\n<<: *a",
	)
	// The beginnings: a fuzzer that starts from large texts gets nowhere.
	for _, seeds := range []map[string]string{multipliers(), slow()} {
		for _, text := range seeds {
			fuzztest.Strings(f, text[:min(len(text), 400)])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := recipe.Parse([]byte(text))
		if err != nil {
			var e *recipe.Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse = %T %v, want *recipe.Error", err, err)
			}
			return
		}
		one, err1 := file.Plan(recipe.Revision{Branch: "main"})
		two, err2 := file.Plan(recipe.Revision{Branch: "main"})
		if !reflect.DeepEqual(one, two) || (err1 == nil) != (err2 == nil) {
			t.Fatalf("two plans differ: %+v %v, %+v %v", one, err1, two, err2)
		}
	})
}
