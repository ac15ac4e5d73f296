package product_test

import (
	"go/token"
	"go/types"
	"os"
	"slices"
	"testing"

	"stoa.dev/stoa/test/program"
	"stoa.dev/stoa/test/typecheck"
)

// TestSmallBuildCompiles: the packages that have other files in the small build have no wrong types with those. What
// they export is the same in both builds, so that each is checked against the others as they are compiled already.
func TestSmallBuildCompiles(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := func(args ...string) []typecheck.Package {
		t.Helper()
		env := append(os.Environ(), "CGO_ENABLED=0", program.GoFlags())
		listed, err := typecheck.List(t.Context(), root, env, append(args, "./cmd/stoa")...)
		if err != nil {
			t.Fatal(err)
		}
		return listed
	}
	full := list("-export")
	filesOf := map[string][]string{}
	for _, p := range full {
		filesOf[p.ImportPath] = p.GoFiles
	}
	checked := 0
	for _, p := range list("-tags", "small") {
		if slices.Equal(p.GoFiles, filesOf[p.ImportPath]) {
			continue
		}
		checked++
		files := token.NewFileSet()
		trees, err := p.Parse(files)
		if err != nil {
			t.Error(err)
			continue
		}
		config := types.Config{Importer: typecheck.Importer(files, full)}
		if _, err := config.Check(p.ImportPath, files, trees, nil); err != nil {
			t.Errorf("%s with -tags small: %v", p.ImportPath, err)
		}
	}
	if checked < 5 {
		t.Errorf("%d packages have files of the small build, want at least 5", checked)
	}
}
