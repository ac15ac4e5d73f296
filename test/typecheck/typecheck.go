package typecheck

import (
	"bytes"
	"context"
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
)

// Package is what go list says of one. Export is the file with what the compiler exported.
type Package struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
	ImportMap               map[string]string
	DepOnly                 bool
}

// List asks go list in a folder about packages and what they import: args are its flags and their patterns.
func List(ctx context.Context, folder string, env []string, args ...string) ([]Package, error) {
	args = append([]string{"list", "-deps", "-json=ImportPath,Export,Dir,GoFiles,ImportMap,DepOnly"}, args...)
	command := exec.CommandContext(ctx, "go", args...)
	var stderr bytes.Buffer
	command.Dir, command.Env, command.Stderr = folder, env, &stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	var packages []Package
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p Package
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// Importer finds what packages export that were listed with -export.
func Importer(files *token.FileSet, packages []Package) types.Importer {
	exports, names := map[string]string{}, map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
		for name, path := range p.ImportMap {
			names[name] = path
		}
	}
	return importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			path = names[path] // one of the standard library's own copies
		}
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
}

// Parse reads the files of a package, with their comments.
func (p Package) Parse(files *token.FileSet) ([]*ast.File, error) {
	var trees []*ast.File
	for _, name := range p.GoFiles {
		tree, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	return trees, nil
}
