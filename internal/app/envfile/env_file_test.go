package envfile_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/envfile"
)

// TestShellReadsIt: a shell and the program read what was written, whatever it holds.
func TestShellReadsIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "env")
	want := map[string]string{
		"EMPTY": "", "PATH_OF": "/home/o'brien/it's data'/ca.pem'", "ODD": `'$(exit 1)\''`, "PLAIN": "a=b",
	}
	if err := envfile.Write(file, want); err != nil {
		t.Fatal(err)
	}
	if got, err := envfile.Read(file); err != nil || !maps.Equal(got, want) {
		t.Errorf("read %v, %v; want %v", got, err, want)
	}
	for name, value := range want {
		script := `. "$1" && printf %s "$` + name + `"`
		if got, err := exec.Command("sh", "-c", script, "sh", file).Output(); err != nil || string(got) != value {
			t.Errorf("a shell reads %s as %q, %v; want %q", name, got, err, value)
		}
	}
}
