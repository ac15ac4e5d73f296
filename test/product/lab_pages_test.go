package product_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// labPages are in the order in which they use files that another wrote. Worlds they make themselves.
func labPages() []string { return []string{"lab-worlds", "lab-requests", "faults", "conduct", "lab"} }

// notInLab are words of lines that this test does not run, and why.
func notInLab() map[string]string {
	return map[string]string{
		"stoa lab --":                 "does not end; this test began with it",
		"stoa stop --data ./stoa-lab": "ends the lab of this test",
	}
}

// namedFile is a block that a page has the reader keep as a file.
var namedFile = regexp.MustCompile("(?ms)^```yaml\n# ([a-z]+\\.yaml)\n(.*?)^```$")

// TestLabPages types the pages of the lab into a shell beside a lab in ./stoa-lab. npm stands for the
// reader's own tests.
func TestLabPages(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	needProgram(t, "curl")
	path := programs(t, binary)
	dir, err := os.MkdirTemp("", "l") // short: the path of a socket lies below
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	lab, err := program.Start(t.Context(), program.Options{
		Binary: binary, Command: "lab", Data: filepath.Join(dir, "stoa-lab"), Dir: dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Kill)
	put := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(path, "npm"), "#!/bin/sh\ntest \"$*\" = test\n", 0o700)
	r := &reader{
		t: t, dir: dir, path: path, leaves: notInLab(), left: map[string]bool{},
		places: map[string]string{
			"127.0.0.1:8080": strings.TrimPrefix(lab.URL, "http://"),
			"127.0.0.1:8081": "127.0.0.1:0", // a server beside the lab
		},
	}
	for _, page := range labPages() {
		for _, file := range namedFile.FindAllStringSubmatch(read(t, root, "docs/"+page+".md"), -1) {
			put(filepath.Join(dir, file[1]), file[2], 0o600)
		}
	}
	for _, page := range labPages() {
		r.read(filepath.Join(root, "docs", page+".md"))
		r.assigned = nil
		r.paste("the worlds of "+page, "stoa world list --json | grep -o '\"name\":\"[^\"]*' | cut -d'\"' -f4 | "+
			"grep -vx default | xargs -r -n 1 stoa world delete")
	}
	if r.tried < 40 {
		t.Errorf("%d lines were tried, want at least 40: the pages or the reader changed", r.tried)
	}
	allLeft(t, r.left, notInLab())
}

// endless are commands that go on until they are interrupted, unless they are given one of the words.
func endless() map[string][]string {
	return map[string][]string{
		"stoa lab":           {"&"},
		"stoa serve":         {"&"},
		"stoa worker":        {"&"},
		"stoa requests tail": {"--for", "--limit", "&"},
		"stoa logs --follow": {"&"},
	}
}

// TestBlocksEnd: a block that is pasted ends. A command that does not end stands last in its
// block, or in one of its own.
func TestBlocksEnd(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range allPages(t, root) {
		if notTyped()[page] != "" {
			continue
		}
		for _, line := range unended(read(t, root, page)) {
			t.Errorf("%s: %q does not end, and lines of its block follow", page, line)
		}
	}
	if got := unended("    stoa requests tail x\n    stoa status\n\n    stoa lab\n"); len(got) != 1 {
		t.Errorf("got %q, want the first line", got)
	}
}

// unended are the lines of a page's blocks that do not end and have others below them.
func unended(text string) (found []string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		below := strings.TrimSpace(lines[i+1])
		if below == "" || strings.HasPrefix(below, "```") || strings.HasPrefix(below, "#") {
			continue
		}
		for command, ends := range endless() {
			bounded := slices.ContainsFunc(ends, func(word string) bool { return strings.Contains(line, word) })
			if strings.HasPrefix(strings.TrimSpace(line), command) && !bounded {
				found = append(found, line)
			}
		}
	}
	return found
}

// TestLabPagesNameTheLab: a reader who begins on a page of the lab is told to start one before its first line.
func TestLabPagesNameTheLab(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range labPages() {
		text := read(t, root, "docs/"+page+".md")
		before, _, _ := strings.Cut(text, "\n    stoa world ")
		if !strings.Contains(before, "start `stoa lab` first") && !strings.Contains(before, "\n    stoa lab --data") {
			t.Errorf("docs/%s.md makes a world before it says that a lab has to run", page)
		}
	}
}
