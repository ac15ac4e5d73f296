package product_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// labPages are in the order in which they use files that another wrote. Worlds they make themselves.
func labPages() []string { return []string{"lab-worlds", "lab-requests", "faults", "conduct", "lab"} }

// notInLab are words of lines that this test does not run, and why.
func notInLab() map[string]string {
	return map[string]string{
		"stoa lab --":   "does not end; this test began with it",
		"stoa serve":    "does not end",
		"requests tail": "does not end",
		"stoa stop":     "ends the lab of this test",
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
	put(filepath.Join(dir, "world.yaml"), read(t, root, "examples/recipes/nightly-contract-tests/world.yaml"), 0o600)
	r := &reader{
		t: t, dir: dir, path: path, leaves: notInLab(), left: map[string]bool{},
		answers: map[string]string{"127.0.0.1:8080": strings.TrimPrefix(lab.URL, "http://")},
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
