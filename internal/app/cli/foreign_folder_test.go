package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand lists the words of all commands that run, with an argument for each name
// in their usage and a value for each flag that must be given.
func everyCommand(c *cobra.Command) (lines [][]string) {
	for _, child := range c.Commands() {
		lines = append(lines, everyCommand(child)...)
	}
	if c.HasSubCommands() || !c.Runnable() {
		return lines
	}
	line := strings.Fields(c.CommandPath())[1:]
	if c.CommandPath() == "stoa config init" {
		line = append(line, "-") // not into the folder of the test
	}
	for _, word := range strings.Fields(c.Use)[1:] {
		if !strings.HasPrefix(word, "[") && !strings.HasPrefix(word, "-") {
			line = append(line, "1")
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if strings.Contains(f.Usage, "required") {
			line = append(line, "--"+f.Name+"=1")
		}
	})
	return append(lines, line)
}

// TestForeignFolder: a command that is not there to begin a data folder leaves one that
// is not Stoa's as it is.
func TestForeignFolder(t *testing.T) {
	t.Parallel()
	begins := map[string]bool{"serve": true, "start": true, "worker": true, "lab": true, "exec": true, "restore": true}
	count := 0
	for _, line := range everyCommand((&Program{}).root()) {
		if begins[line[0]] {
			continue
		}
		count++
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "guide.md"), []byte("# Guide\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		p := &Program{
			Args: append(line, "--data", dir), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			Environ: []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir()},
		}
		p.Main(t.Context())
		var found []string
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			found = append(found, filepath.Base(path))
			return err
		})
		if err != nil || len(found) != 2 {
			t.Errorf("stoa %s left %v (%v)\n%s", strings.Join(line, " "), found, err, out.String())
		}
	}
	if count < 100 {
		t.Errorf("only %d commands were tried", count)
	}
}

// TestFolderOfSomethingElse: the refusal says what the folder is instead.
func TestFolderOfSomethingElse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		files []string
		want  string
	}{
		{[]string{"guide.md"}, "name the folder of a server"},
		{[]string{"manifest.json", "data/stoa.db"}, "it is a backup"},
		{nil, "it is empty"},
	} {
		dir := t.TempDir()
		for _, name := range row.files {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		p := &Program{Args: []string{"user", "list", "--data", dir}, Stdout: &out, Stderr: &out}
		if code := p.Main(t.Context()); code != 3 || !strings.Contains(out.String(), row.want) ||
			!strings.Contains(out.String(), "is not a Stoa data folder") {
			t.Errorf("%v: exit %d %s; want 3 and %q", row.files, code, out.String(), row.want)
		}
	}
}

// TestFolderOfALab: a command that needs the folder of a server says of a lab's what it is and what to do.
func TestFolderOfALab(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"lab.env", "root.check", "worlds/default/data/stoa.db"} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	apart := []string{
		"completion", "config", "version", "man", "help", "cert", "restore", "worker", // these need no server here
		"lab", "exec", "world", "clock", "fault", "inbox", "expect", "conduct", "requests", // these are about labs
	}
	next := map[string]string{
		"status": "start it with stoa lab --data " + dir, "open": "start it with stoa lab --data " + dir,
		"stop": "nothing was stopped", "logs": "logs to standard error",
		"serve": "stoa lab --data " + dir + " starts the lab", "start": "stoa lab --data " + dir + " starts the lab",
		"requests": "stoa requests tail default", "user": "name a world with --world",
	}
	for _, line := range everyCommand((&Program{}).root()) {
		if line[0] == "lab" || line[0] == "exec" {
			continue // they would start one
		}
		var out bytes.Buffer
		p := &Program{
			Args: append(line, "--data", dir), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			Environ: []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir()},
		}
		code := p.Main(t.Context())
		said := strings.Contains(out.String(), "is the folder of a lab")
		// What needs no folder, or is refused for its words before one is looked at.
		other := code == 2 || slices.Contains(apart, line[0])
		if !said && !other {
			t.Errorf("stoa %s: %d %.300s", strings.Join(line, " "), code, out.String())
		}
		if want := next[line[0]]; said && !strings.Contains(out.String(), want) {
			t.Errorf("stoa %s: want the next step %q:\n%.300s", strings.Join(line, " "), want, out.String())
		}
	}
}
