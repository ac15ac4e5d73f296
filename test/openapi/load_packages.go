package main

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"strings"

	"stoa.dev/stoa/test/program"
	"stoa.dev/stoa/test/typecheck"
)

// source is the type-checked source of the services.
type source struct {
	// bodies and named find a function by "import/path.Function" or
	// "import/path.Type.Method": a package seen through export data has other
	// objects than the same package seen through its source.
	bodies map[string]*ast.FuncDecl
	named  map[string]*types.Func
	info   *types.Info
}

// load type-checks the packages. What they import comes from the compiler's
// export data, so that only the packages themselves are read.
func load(ctx context.Context, root string, patterns ...string) (*source, error) {
	// With the flags of make test the packages are compiled already.
	flags := append(append([]string{"-export"}, program.RaceFlags()...), patterns...)
	packages, err := typecheck.List(ctx, root, os.Environ(), flags...)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	s := &source{
		bodies: map[string]*ast.FuncDecl{}, named: map[string]*types.Func{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Defs:       map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		},
	}
	config := types.Config{Importer: typecheck.Importer(files, packages)}
	for _, p := range packages {
		if p.DepOnly {
			continue
		}
		if err := s.check(files, config, p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *source) check(files *token.FileSet, config types.Config, p typecheck.Package) error {
	trees, err := p.Parse(files)
	if err != nil {
		return err
	}
	if _, err := config.Check(p.ImportPath, files, trees, s.info); err != nil {
		return err
	}
	for _, tree := range trees {
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if object, ok := s.info.Defs[f.Name].(*types.Func); ok {
				s.bodies[key(object)], s.named[key(object)] = f, object
			}
		}
	}
	return nil
}

// body is the source of a function, nil when it is not one of ours.
func (s *source) body(f *types.Func) *ast.FuncDecl {
	if f == nil || f.Pkg() == nil {
		return nil
	}
	return s.bodies[key(f.Origin())]
}

// key names a function as the runtime does, without stars and parentheses.
func key(f *types.Func) string {
	name := f.Name()
	if f.Pkg() == nil {
		return name
	}
	if receiver := f.Signature().Recv(); receiver != nil {
		t := receiver.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return f.Pkg().Path() + "." + name
}

// find is the function that the runtime calls so; closures belong to the
// function that makes them.
func (s *source) find(runtimeName string) *types.Func {
	name := strings.NewReplacer("(*", "", ")", "", "-fm", "", "[...]", "").Replace(runtimeName)
	for name != "" {
		if f := s.named[name]; f != nil {
			return f
		}
		i := strings.LastIndex(name, ".")
		if i < 0 {
			return nil
		}
		name = name[:i]
	}
	return nil
}
