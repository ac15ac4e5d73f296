package cli_test

import (
	"strings"
	"testing"
)

// TestServeHasNoLab: no flag and no setting of a serving process makes worlds or
// moves time.
func TestServeHasNoLab(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{
		"--clock=2030-01-01T00:00:00Z", "--rate=60", "--seed=1", "--from=demo", "--world=x", "--worlds=1", "--lab",
		"--max-worlds=1", "--idle=1s", "--host=x", "--token=x",
	} {
		if r := run(t, "", "serve", flag); r.code != 2 || !strings.Contains(r.stderr, "--help") {
			t.Errorf("serve %s: exit %d %q, want 2", flag, r.code, r.stderr)
		}
	}
	for name, value := range object(t, run(t, "", "config", "print", "--json")) {
		for _, word := range []string{"lab", "clock", "world", "seed", "rate", "time"} {
			if name == word {
				t.Errorf("there is a setting %s: %v", name, value)
			}
		}
	}
}

// TestFaultsWithoutALab: what can be broken is to be read before a lab is started, as a lab says it.
func TestFaultsWithoutALab(t *testing.T) {
	t.Parallel()
	r := run(t, "", "fault", "catalog", "--service", "tasks", "--json")
	if r.code != 0 || !strings.Contains(r.stdout, `"service":"tasks"`) || strings.Contains(r.stdout, `"service":"kms"`) {
		t.Errorf("exit %d %q %.300s, want the faults of tasks alone", r.code, r.stderr, r.stdout)
	}
	r = run(t, "", "fault", "catalog", "--service", "tsks")
	if r.code != 3 || !strings.Contains(r.stderr, "did you mean tasks?") {
		t.Errorf("exit %d %q, want 3 and the nearest name", r.code, r.stderr)
	}
}
