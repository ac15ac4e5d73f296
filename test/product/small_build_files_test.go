package product_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"stoa.dev/stoa/test/program"
)

// listedPackage is what go list says of one.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
}

// TestSmallBuildCompiles: the packages that have other files in the small build have no wrong types with those. What
// they export is the same in both builds, so that each is checked against the others as they are compiled already.
func TestSmallBuildCompiles(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	full := map[string]listedPackage{}
	for _, p := range goList(t, root, "-export", "-deps", "./cmd/stoa") {
		full[p.ImportPath] = p
	}
	checked := 0
	for _, p := range goList(t, root, "-tags", "small", "-deps", "./cmd/stoa") {
		if slices.Equal(p.GoFiles, full[p.ImportPath].GoFiles) {
			continue
		}
		if err := checkTypes(p, full); err != nil {
			t.Errorf("%s with -tags small: %v", p.ImportPath, err)
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("%d packages have files of the small build, want at least 5", checked)
	}
}

// goList asks the go command about packages, with the flags of make test.
func goList(t *testing.T, root string, args ...string) []listedPackage {
	t.Helper()
	args = append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,ImportMap"}, args...)
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = root, append(os.Environ(), "CGO_ENABLED=0", program.GoFlags())
	out, err := c.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		t.Fatalf("go %q: %v", args, err)
	}
	var all []listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// checkTypes checks the files of a package against what the compiled packages export.
func checkTypes(p listedPackage, compiled map[string]listedPackage) error {
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	open := func(path string) (io.ReadCloser, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		other, ok := compiled[path]
		if !ok || other.Export == "" {
			return nil, fmt.Errorf("%s is not part of the full build", path)
		}
		return os.Open(other.Export)
	}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", open)}
	_, err := config.Check(p.ImportPath, files, parsed, nil)
	return err
}
