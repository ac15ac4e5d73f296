package world

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ModelVariable names a model that servers of the tests have pulled, so that clients meet a
// model instead of the script; make sdk sets it.
const ModelVariable = "STOA_SDK_MODEL"

// Model is the model of ModelVariable; empty means the script.
func Model() string { return os.Getenv(ModelVariable) }

// engine builds the program that runs local models.
func engine(t testing.TB) string {
	t.Helper()
	root, kept, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(kept, "stoa-engine")
	build := exec.Command("go", "build", "-C", filepath.Join(root, "engine"), "-trimpath", "-buildvcs=false",
		"-o", program, "./cmd/stoa-engine")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the engine: %v\n%s", err, out)
	}
	return program
}

// pull gives the server the model. What the first pull fetched is kept for the next servers,
// whose pull finds everything there.
func (s *Server) pull(t testing.TB, name string) {
	t.Helper()
	_, dir, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	kept, here := filepath.Join(dir, "pulled", name), filepath.Join(s.Data, "models")
	_, missing := os.Stat(kept)
	if missing == nil {
		if err := os.CopyFS(here, os.DirFS(kept)); err != nil {
			t.Fatal(err)
		}
	}
	s.Command(t, "models", "pull", name)
	if missing != nil {
		unfinished := kept + ".unfinished"
		if err := errors.Join(os.RemoveAll(unfinished), os.CopyFS(unfinished, os.DirFS(here)),
			os.Rename(unfinished, kept)); err != nil {
			t.Fatal(err)
		}
	}
}
