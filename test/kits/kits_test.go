package kits_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/test/program"
)

// TestKits runs the tests of each kit as its users do, with a lab that the kit starts.
func TestKits(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, kit := range []struct {
		folder  string
		command []string
	}{
		{"go", []string{"go", "test", "-count=1", "./..."}},
		{"node", []string{"node", "--test", "test/"}},
		{"python", []string{"python3", "-m", "unittest", "discover", "-s", "tests"}},
	} {
		t.Run(kit.folder, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), kit.command[0], kit.command[1:]...)
			cmd.Dir = filepath.Join(root, "kit", kit.folder)
			cmd.Env = append(os.Environ(), "STOA_BIN="+binary, "GOFLAGS=-buildvcs=false -trimpath", "CGO_ENABLED=0",
				"GORACE="+program.RaceOptions, "XDG_CACHE_HOME="+t.TempDir(), "STOA_LAB_URL=", "PYTHONDONTWRITEBYTECODE=1")
			if kit.folder == "go" {
				// What is compiled is kept where it always is.
				cmd.Env = append(cmd.Env, "GOCACHE="+goCache(t))
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", kit.command, err, out)
			}
		})
	}
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out[:len(out)-1])
}
