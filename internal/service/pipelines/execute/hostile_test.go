package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// TestLinksOfARevision names a working folder behind a link that the revision
// brings: nothing is made where it leads on the host.
func TestLinksOfARevision(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	outside := t.TempDir()
	h.links = map[string]string{"absolute": outside, "upward": "../../../" + filepath.Base(outside), "within": "."}
	for name, want := range map[string]execute.Outcome{"absolute": execute.Failed, "upward": execute.Failed, "within": execute.Success} {
		c := h.run(execute.Task{Job: job(t, "      - checkout: {path: ~/project}\n      - run: pwd\n", "    working_directory: ~/project/"+name+"/made\n")})
		if c.Outcome != want {
			t.Errorf("%s: %s %v, want %s; said %q", name, c.Outcome, c.Err, want, c.text(1))
		}
		if strings.Contains(c.text(1), outside) {
			t.Errorf("%s: the job ran in %q", name, c.text(1))
		}
	}
	if made, err := os.ReadDir(outside); err != nil || len(made) != 0 {
		t.Errorf("outside holds %v, %v; want nothing", made, err)
	}
}
