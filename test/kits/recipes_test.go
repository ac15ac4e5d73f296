package kits_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// shell are the blocks of a page that a reader types.
var shell = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// commands joins the blocks of a page to one script.
func commands(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	script := "set -eu\n"
	for _, block := range shell.FindAllStringSubmatch(string(text), -1) {
		// A command that shall fail would not end the script if it did not.
		script += regexp.MustCompile(`(?m)^! (.*)$`).ReplaceAllString(block[1], "if $1; then exit 1; fi")
	}
	return script
}

// TestRecipes runs every recipe as its page says, in a copy of the folders it uses.
func TestRecipes(t *testing.T) {
	t.Parallel()
	source := root(t)
	recipes, err := filepath.Glob(filepath.Join(source, "examples", "recipes", "*", "README.md"))
	if err != nil || len(recipes) < 7 {
		t.Fatalf("the recipes are %v, %v", recipes, err)
	}
	path := programs(t)
	for _, page := range recipes {
		name := filepath.Base(filepath.Dir(page))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := shortFolder(t)
			for _, folder := range []string{"kit", "examples/go", "examples/recipes/" + name} {
				if err := os.CopyFS(filepath.Join(tree, folder), os.DirFS(filepath.Join(source, folder))); err != nil {
					t.Fatal(err)
				}
			}
			env := []string{path, program.GoFlags("-mod=mod")}
			out := run(t, filepath.Join(tree, "examples", "recipes", name), env, "sh", "-c", commands(t, page))
			if strings.Contains(out, "panic") {
				t.Error(out)
			}
			if left := added(t, source, tree); len(left) > 0 {
				t.Errorf("the recipe leaves %v in the reader's folders: let its last commands remove them", left)
			}
		})
	}
}

// added are the files and folders of a tree that its source does not have, the outermost alone.
func added(t *testing.T, source, tree string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(source, name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		list = append(list, name)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// programs is a path on which stoa is found.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(build(t), filepath.Join(dir, "stoa")); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")
}

// shortFolder is one below which the path of a socket is not too long.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
