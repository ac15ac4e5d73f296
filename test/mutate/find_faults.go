package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"stoa.dev/stoa/test/program"
)

// fault is one change, ready to be written.
type fault struct {
	ID      string
	Kind    string // status, member or check
	Package string // import path
	File    string
	Line    int
	What    string // the changed text, for the report
	edits   []edit
}

// edit replaces the bytes from one offset to another.
type edit struct {
	from, to int
	text     string
}

// load reads the packages of some services with their types.
func load(root string, services ...string) ([]*packages.Package, error) {
	var patterns []string
	for _, service := range services {
		patterns = append(patterns, "./internal/service/"+service+"/...")
	}
	list, err := packages.Load(&packages.Config{
		Dir: root,
		// With the flags of make test the packages are compiled already.
		BuildFlags: program.RaceFlags(),
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	return list, nil
}

// finder collects the faults of one file.
type finder struct {
	pkg    *packages.Package
	file   string
	source []byte
	found  []fault
}

// find returns every fault that can be planted in a file.
func find(p *packages.Package, f *ast.File, source []byte) []fault {
	name := p.Fset.Position(f.Pos()).Filename
	x := &finder{pkg: p, file: name, source: source}
	answers := role(name, "http") || role(name, "wire") || role(name, "rpc")
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.CaseClause:
			for _, s := range n.Body {
				ast.Inspect(s, func(inner ast.Node) bool { x.visit(inner, answers); return true })
			}
			return false
		default:
			x.visit(n, answers)
		}
		return true
	})
	return x.found
}

// role reports whether a file has the role by its name.
func role(file, role string) bool {
	base := strings.TrimSuffix(filepath.Base(file), ".go")
	return base == role || strings.HasSuffix(base, "_"+role)
}

func (x *finder) visit(n ast.Node, answers bool) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if answers {
			x.status(n)
		}
	case *ast.CompositeLit:
		if answers {
			x.members(n)
		}
	case *ast.IfStmt:
		x.check(n)
	}
}

// status swaps http.StatusX for a status that no answer has in its place.
func (x *finder) status(n *ast.SelectorExpr) {
	obj, ok := x.pkg.TypesInfo.Uses[n.Sel].(*types.Const)
	if !ok || obj.Pkg() == nil || obj.Pkg().Path() != "net/http" || !strings.HasPrefix(n.Sel.Name, "Status") {
		return
	}
	value, _ := constant.Int64Val(obj.Val())
	other := map[int64]int64{
		200: 202, 201: 200, 204: 200, 302: 303, 304: 200, 404: 410, 403: 404, 401: 403, 400: 422,
	}[value]
	if other == 0 {
		other = value + 1
	}
	x.add("status", n, x.text(n), func(id string) []edit {
		return []edit{{x.at(n.Pos()), x.at(n.End()), fmt.Sprintf("plantedInt(%q, %d, %s)", id, other, x.text(n))}}
	})
}

// members leaves one member of an answer empty.
func (x *finder) members(n *ast.CompositeLit) {
	t, ok := x.pkg.TypesInfo.TypeOf(n).(*types.Named)
	if !ok || len(n.Elts) < 2 || t.Obj().Pkg() != x.pkg.Types {
		return
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || !hasJSON(st) {
		return
	}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || x.pkg.TypesInfo.Types[kv.Value].Value != nil {
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok || !types.Identical(x.pkg.TypesInfo.TypeOf(kv.Value), fieldType(st, key.Name)) {
			continue
		}
		x.add("member", kv, key.Name+" of "+t.Obj().Name(), func(id string) []edit {
			return []edit{
				{x.at(kv.Value.Pos()), x.at(kv.Value.Pos()), fmt.Sprintf("plantedZero(%q, ", id)},
				{x.at(kv.Value.End()), x.at(kv.Value.End()), ")"},
			}
		})
	}
}

func hasJSON(st *types.Struct) bool {
	for i := range st.NumFields() {
		if strings.Contains(st.Tag(i), `json:"`) {
			return true
		}
	}
	return false
}

func fieldType(st *types.Struct, name string) types.Type {
	for f := range st.Fields() {
		if f.Name() == name {
			return f.Type()
		}
	}
	return types.Typ[types.Invalid]
}

// check skips an if that does nothing but refuse: its only statement returns an
// error that is made there.
func (x *finder) check(n *ast.IfStmt) {
	if len(n.Body.List) != 1 || n.Else != nil {
		return
	}
	ret, ok := n.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 {
		return
	}
	last := ret.Results[len(ret.Results)-1]
	if !x.refuses(last) {
		return
	}
	x.add("check", n, x.text(n.Cond), func(id string) []edit {
		return []edit{
			{x.at(n.Cond.Pos()), x.at(n.Cond.Pos()), "("},
			{x.at(n.Cond.End()), x.at(n.Cond.End()), fmt.Sprintf(") && !planted(%q)", id)},
		}
	})
}

// refuses reports whether an expression makes an error of the service's own: a
// call of a constructor or a literal, not an error handed on.
func (x *finder) refuses(e ast.Expr) bool {
	t := x.pkg.TypesInfo.TypeOf(e)
	if t == nil || !types.AssignableTo(t, types.Universe.Lookup("error").Type()) {
		return false
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := e.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		return strings.HasPrefix(name, "err") && !strings.Contains(x.text(e), "err.Error()")
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		return ok && e.Op == token.AND && lit != nil
	}
	return false
}

// add notes a fault; its edits are made when it has been chosen.
func (x *finder) add(kind string, n ast.Node, what string, edits func(id string) []edit) {
	line := x.pkg.Fset.Position(n.Pos()).Line
	id := fmt.Sprintf("%s:%d:%d:%s", filepath.Base(x.file), line, x.pkg.Fset.Position(n.Pos()).Column, kind)
	x.found = append(x.found, fault{
		ID: id, Kind: kind, Package: x.pkg.PkgPath, File: x.file, Line: line,
		What: strings.Join(strings.Fields(what), " "), edits: edits(id),
	})
}

func (x *finder) at(p token.Pos) int { return x.pkg.Fset.Position(p).Offset }

func (x *finder) text(n ast.Node) string { return string(x.source[x.at(n.Pos()):x.at(n.End())]) }
