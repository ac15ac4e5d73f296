package envfile_test

import (
	"maps"
	"os"
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

// TestNamesAreNames: a name that a shell would run is no variable, and a word that it would run is quoted.
func TestNamesAreNames(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "env")
	text := "export A='1'\nB=2\nexport x; id; y='3'\nexport C$(id)='4'\nlower='5'\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "1", "B": "2"}
	if got, err := envfile.Read(file); err != nil || !maps.Equal(got, want) {
		t.Errorf("read %v, %v; want %v", got, err, want)
	}
	for text, want := range map[string]string{"POST": "POST", "`id`": "'`id`'", "A|B": "'A|B'", "": "''"} {
		if got := envfile.Word(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
