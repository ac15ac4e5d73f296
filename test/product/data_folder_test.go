package product_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// madeLater are entries of the table that a demo does not begin with, and what makes them.
func madeLater() map[string]string {
	return map[string]string{
		"models":   "stoa models pull and add",
		"work":     "the demo's first job",
		"code":     "programs that models run",
		"transfer": "commands with files",
		"node.id":  "several processes on one database",
	}
}

// TestDataFolderTable holds the table of docs/operations-service.md against the folder of a demo that runs.
func TestDataFolderTable(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	documented := dataFolderTable(t, read(t, root, "docs/operations-service.md"))
	dir := t.TempDir()
	stoa := func(args ...string) {
		t.Helper()
		command := exec.Command(binary, args...)
		command.Dir, command.Env = dir, program.Environ()
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("stoa %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	t.Cleanup(func() { stoa("stop") })
	stoa("start", "--wait", "--demo", "--listen", "127.0.0.1:0")
	entries, err := os.ReadDir(filepath.Join(dir, "stoa-data"))
	if err != nil || len(entries) < 10 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		found[e.Name()] = true
		if !documented[e.Name()] {
			t.Errorf("docs/operations-service.md does not say what %s in the data folder is", e.Name())
		}
	}
	for name := range documented {
		if !found[name] && madeLater()[name] == "" {
			t.Errorf("docs/operations-service.md has %s, which a demo does not have", name)
		}
	}
}

// dataFolderTable are the names in the first column of the table. One that begins with a dash goes on the one before.
func dataFolderTable(t *testing.T, page string) map[string]bool {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n## The data folder\n")
	if !found {
		t.Fatal("the page has no section about the data folder")
	}
	table, _, _ := strings.Cut(rest, "\n## ")
	names, last := map[string]bool{}, ""
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			name := strings.TrimSuffix(code[1], "/")
			if strings.HasPrefix(name, "-") {
				names[last+name] = true
				continue
			}
			names[name], last = true, name
		}
	}
	return names
}
