package runner_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/runner"
)

// TestLimitsAreChecked: a bound below zero would silently be the default.
func TestLimitsAreChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*runner.Config){
		"":                 func(*runner.Config) {},
		"limits.memory":    func(c *runner.Config) { c.Limits.Memory = -1 },
		"limits.timeout":   func(c *runner.Config) { c.Limits.Timeout = -1 },
		"limits.processes": func(c *runner.Config) { c.Limits.Processes = -1 },
	} {
		c := runner.DefaultConfig()
		change(&c)
		err := c.Validate()
		if (err == nil) != (name == "") || err != nil && err.Error() != "pipelines."+name+" must not be negative" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExecutorIsChecked(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ executor, image, want string }{
		{"sandbox", "", ""},
		{"kubernetes", "debian:stable", ""},
		{"kubernetes", "", "pipelines.kubernetes.image"},
		{"elsewhere", "", "executor must be sandbox, host or kubernetes"},
	} {
		c := runner.DefaultConfig()
		c.Kubernetes.Image = row.image
		c.Executor = sandbox.Mode(row.executor)
		err := c.Validate()
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%+v: %v", row, err)
		}
		if c.UsesImages() != (row.executor == "kubernetes") {
			t.Errorf("%s uses images: %v", row.executor, c.UsesImages())
		}
	}
}
