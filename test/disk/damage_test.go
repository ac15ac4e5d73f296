package disk_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// how is a way to damage a file.
type how string

const (
	cut    how = "cut"
	flip   how = "flip"
	remove how = "remove"
)

func (h how) do(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	switch h {
	case remove:
		return
	case cut:
		content = content[:len(content)/2]
	case flip:
		// Where a part of a file begins: a page of the database, a packed object, a line.
		for at := 0; at < len(content); at += 4096 {
			content[at] ^= 0x14
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDamage cuts, flips and removes bytes of every kind of stored file. stoa check ends
// with an error that names the thing, without a server and, where one still starts, with
// one; the folder before is clean.
func TestDamage(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	template := filepath.Join(t.TempDir(), "data")
	fillFolder(t, binary, template)
	if out, err := runCheck(binary, template); err != nil {
		t.Fatalf("a healthy folder: %v\n%s", err, out)
	}
	for _, file := range []struct {
		name, pattern string
		named         string // what the answer names
		starts        bool   // a server still starts
	}{
		{"database", "stoa.db", "stoa.db", false},
		{"blob", "blobs/objects/generate/*/*", "generate/", true},
		{"repository object", "git/*/*/objects/*/*", "repository ", true},
		{"root key", "root.key", "root key", false},
		{"certificate key", "ca.key", "ca.key", false},
	} {
		for _, h := range []how{cut, flip, remove} {
			t.Run(file.name+" "+string(h), func(t *testing.T) {
				t.Parallel()
				dir := copyFolder(t, template)
				found, err := filepath.Glob(filepath.Join(dir, file.pattern))
				if err != nil || len(found) == 0 {
					t.Fatalf("no file: %v", err)
				}
				h.do(t, found[0])
				damaged(t, binary, dir, file.named)
				if file.starts {
					p, err := program.Start(t.Context(), program.Options{Binary: binary, Data: dir})
					if err != nil {
						t.Fatal(err)
					}
					defer p.Kill()
					damaged(t, binary, dir, file.named)
				}
			})
		}
	}
}

func damaged(t *testing.T, binary, dir, named string) {
	t.Helper()
	out, err := runCheck(binary, dir)
	if err == nil || !strings.Contains(out, named) {
		t.Errorf("stoa check: %v, want an error that names %q\n%s", err, named, out)
	}
}

func runCheck(binary, dir string) (string, error) {
	c := exec.Command(binary, "check", "--data", dir)
	c.Env = program.Environ()
	out, err := c.CombinedOutput()
	return string(out), err
}

func copyFolder(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command("cp", "-a", from, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return dir
}

// fillFolder makes a demo world with an uploaded file.
func fillFolder(t *testing.T, binary, dir string) {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{Binary: binary, Data: dir, Args: []string{"--demo"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	env, err := program.DemoEnv(dir)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.NewBufferString(strings.Repeat("some text\n", 1000))
	address := p.URL + "/upload/v1beta/files?uploadType=media&key=" + env["STOA_MODEL_KEY"]
	response, err := http.Post(address, "text/plain", body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("upload: %s", response.Status)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
