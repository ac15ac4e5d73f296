package app_test

import (
	"slices"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/module"
)

// Commands that name files say so: the operator's process opens them.
func TestCommandsDeclareFiles(t *testing.T) {
	t.Parallel()
	for _, c := range app.Commands() {
		written := 0
		for _, a := range c.Args {
			if slices.Contains([]string{"file", "files", "folder", "path", "dir"}, a.Name) && a.File == module.NoFile {
				t.Errorf("stoa %s: the argument %s does not say what is done with the file", c.Path, a.Name)
			}
			if a.File.Writes() {
				if written++; a.Many || written > 1 {
					t.Errorf("stoa %s writes more than one file", c.Path)
				}
			}
		}
	}
}
