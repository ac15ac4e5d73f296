package execute_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// TestAgentSplitsTests runs the agent on three nodes, which together must run every test once.
func TestAgentSplitsTests(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	const files = `      - run: mkdir -p src/a/b other && touch src/x_test.go src/a/y_test.go src/a/b/z_test.go src/a/no.go other/w_test.go
`
	timings := []execute.Timing{
		{Kind: "filename", Name: "src/x_test.go", Seconds: 10}, {Kind: "filename", Name: "src/a/y_test.go", Seconds: 4},
		{Kind: "filename", Name: "src/a/b/z_test.go", Seconds: 3}, {Kind: "filename", Name: "other/w_test.go", Seconds: 2},
		{Kind: "classname", Name: "sum", Seconds: 1}, {Kind: "filename", Name: "bad\nname", Seconds: 1},
	}
	for _, tc := range []struct {
		name, command string
		nodes         int
		want          []string
	}{
		{"glob", `agent tests glob "src/**/*_test.go"`, 1, []string{"src/a/b/z_test.go src/a/y_test.go src/x_test.go"}},
		{"glob one folder", `agent tests glob "src/*_test.go" "./other/*.go"`, 1,
			[]string{"other/w_test.go src/x_test.go"}},
		{"glob braces", `agent tests glob "{src,other}/[wx]_test.go"`, 1, []string{"other/w_test.go src/x_test.go"}},
		{"glob nothing", `agent tests glob "*.py"`, 1, []string{""}},
		{"by name", `agent tests glob "**/*_test.go" | agent tests split`, 2,
			[]string{"other/w_test.go src/a/y_test.go", "src/a/b/z_test.go src/x_test.go"}},
		{"by timings", `agent tests glob "**/*_test.go" | agent tests split --split-by=timings`, 2,
			[]string{"src/x_test.go", "other/w_test.go src/a/b/z_test.go src/a/y_test.go"}},
		{"a new file counts as the average", `printf '%s\n' src/x_test.go new_test.go | agent tests split ` +
			`--split-by timings`, 2, []string{"src/x_test.go", "new_test.go"}},
		{"by class", `printf 'sum\nother\n' | agent tests split --split-by=timings --timings-type=classname`, 2,
			[]string{"other", "sum"}},
		{"from a file", `printf 'a\nb\nc\n' > list; agent tests split list`, 3, []string{"a", "b", "c"}},
		{"run", `printf 'a\nb\nc\n' | agent tests run --command="xargs echo ran"`, 2, []string{"ran a c", "ran b"}},
		{"run nothing", `printf 'a\n' | agent tests run --command="xargs echo ran"`, 2,
			[]string{"ran a", "agent: there is nothing to run on node 1 of 2"}},
		{"explicit node", `printf 'a\nb\n' | agent tests split --index=1 --total=2`, 1, []string{"b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for node, want := range tc.want {
				task := execute.Task{
					Job:  job(t, files+"      - run: |\n          "+tc.command+"\n", ""),
					Node: node, Nodes: tc.nodes, Agents: []string{"agent"}, Timings: timings,
				}
				c := h.run(task)
				got := strings.Fields(c.text(1))
				if c.Outcome != execute.Success || strings.Join(got, " ") != want {
					t.Errorf("node %d: %s %q, want %q", node, c.Outcome, c.text(1), want)
				}
			}
		})
	}
}

func TestAgentRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	for _, words := range []string{
		"tests", "tests glob", "tests split --split-by=colour", "tests split --index=2 --total=2", "tests split --what",
		"tests run", "step", "continue", "",
	} {
		c := h.run(execute.Task{Job: job(t, "      - run: echo a | stoa-agent "+words+"\n", ""), Nodes: 1})
		if c.Outcome != execute.Failed || !slices.Contains([]int{1, 2}, c.ended[0].Code) {
			t.Errorf("stoa-agent %s: %s, code %d: %s", words, c.Outcome, c.ended[0].Code, c.text(0))
		}
	}
}

// continuing is a host that takes the second part of a pipeline.
type continuing struct {
	*fixture
	config, parameters string
}

func (c *continuing) Continue(_ context.Context, config, parameters []byte) error {
	c.config, c.parameters = string(config), string(parameters)
	return nil
}

func TestAgentContinues(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		steps, config, parameters string
		setup                     bool
	}{
		"with parameters": {`      - run: echo "a"  > n.yml; stoa-agent continue n.yml --parameters='{"x":1}'`, "a\n",
			`{"x":1}`, true},
		"without":       {"      - run: echo a > n.yml; stoa-agent continue n.yml", "a\n", "{}", true},
		"not at all":    {"      - run: echo a", "", "", true},
		"no setup":      {"      - run: echo a > n.yml; stoa-agent continue n.yml", "", "", false},
		"a failing job": {"      - run: echo a > n.yml; stoa-agent continue n.yml; false", "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &continuing{fixture: newFixture(t, nil)}
			task := execute.Task{Job: job(t, tc.steps+"\n", ""), Nodes: 1, Revision: "abc123"}
			task.Job.Setup = tc.setup
			c := newCourse()
			if _, err := h.Run(t.Context(), task, h, c); err != nil {
				t.Fatalf("%v", err)
			}
			if h.config != tc.config || h.parameters != tc.parameters {
				t.Errorf("continued with %q %q, want %q %q", h.config, h.parameters, tc.config, tc.parameters)
			}
		})
	}
}
