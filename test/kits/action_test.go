package kits_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestAction runs the shell steps of the action as a runner does: start, a test of a
// client with what it exports, stop.
func TestAction(t *testing.T) {
	t.Parallel()
	action := filepath.Join(root(t), "packaging", "setup-stoa")
	dir := shortFolder(t)
	job := []string{
		"RUNNER_TEMP=" + dir, "GITHUB_ENV=" + filepath.Join(dir, "env"), "GITHUB_PATH=" + filepath.Join(dir, "path"),
		"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"),
	}
	step(t, action, dir, append(job, "STOA_ACTION_BINARY="+build(t), "STOA_ACTION_REPORTS=reports"))
	exported := strings.Fields(text(t, filepath.Join(dir, "env")))
	if len(exported) != 4 || !strings.HasPrefix(text(t, filepath.Join(dir, "output")), "url=http://127.0.0.1:") {
		t.Errorf("exported: %q", exported)
	}
	stoa := strings.TrimSpace(text(t, filepath.Join(dir, "path"))) + "/stoa"
	run(t, dir, exported, stoa, "world", "create", "--name", "seen")
	run(t, filepath.Join(root(t), "kit", "python"), exported, "python3", "-m", "unittest", "tests.test_world")
	step(t, filepath.Join(action, "report"), dir, append(job, exported...))
	if summary := text(t, filepath.Join(dir, "summary")); !strings.Contains(summary, "findings in 10 worlds") {
		t.Errorf("the summary is %q", summary)
	}
}

// step runs the shell steps of an action in a folder.
func step(t *testing.T, action, dir string, env []string) {
	t.Helper()
	var file struct {
		Runs struct {
			Steps []struct{ Shell, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(text(t, filepath.Join(action, "action.yml"))), &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, s := range file.Runs.Steps {
		if s.Run == "" {
			continue
		}
		ran++
		c := exec.CommandContext(t.Context(), s.Shell, "-c", s.Run)
		c.Dir, c.Env = dir, append(append(environment(t), "GITHUB_ACTION_PATH="+action), env...)
		// What stays behind keeps the pipes of a captured output open.
		out, err := os.Create(filepath.Join(dir, "step.out"))
		if err != nil {
			t.Fatal(err)
		}
		c.Stdout, c.Stderr = out, out
		if err := c.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", s.Run, err, text(t, out.Name()))
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
	}
	if ran != 1 {
		t.Errorf("%s has %d shell steps", action, ran)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
