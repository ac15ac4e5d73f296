package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	wirePath  = "stoa.dev/stoa/internal/platform/wire"
	maxSteps  = 7
	okStatus  = 200
	noContent = 204
)

// traffic is what a handler reads and writes.
type traffic struct {
	in      []types.Type
	out     map[int][]types.Type
	encoded []types.Type // handed to encoding/json on the way
	names   []string     // of query parameters or form fields
	form    bool
	empty   bool // may answer without a body
}

// tracer follows one handler through its package.
type tracer struct {
	*source
	seen map[string]bool
	at   *ast.FuncDecl // the function that is being read
	// given are the constants that its parameters stand for.
	given map[types.Object]constant.Value
	traffic
}

// trace follows a handler. Handlers that return their answer instead of writing
// it are followed to the returned expression.
func (s *source) trace(handler *types.Func) traffic {
	t := &tracer{
		source: s, seen: map[string]bool{}, given: map[types.Object]constant.Value{},
		traffic: traffic{out: map[int][]types.Type{}},
	}
	t.follow(handler, 0)
	return t.traffic
}

func (t *tracer) follow(f *types.Func, depth int) {
	declaration := t.body(f)
	if declaration == nil || declaration.Body == nil || t.seen[key(f.Origin())] || depth > maxSteps {
		return
	}
	t.seen[key(f.Origin())] = true
	before := t.at
	defer func() { t.at = before }()
	t.at = declaration
	ast.Inspect(declaration.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			t.call(n, depth)
		case *ast.ReturnStmt:
			t.returned(f, n, depth)
		case *ast.CompositeLit:
			t.made(n, func(e ast.Expr) types.Type { return t.info.TypeOf(e) })
		case *ast.IndexExpr:
			if isValues(t.info.TypeOf(n.X)) {
				t.parameter(n.Index)
			}
		}
		return true
	})
}

func (t *tracer) call(n *ast.CallExpr, depth int) {
	f := t.callee(n)
	if f == nil || f.Pkg() == nil {
		return
	}
	switch path := f.Pkg().Path(); {
	case path == wirePath:
		t.wireCall(f.Name(), n)
	case path == "encoding/json" && f.Name() == "Marshal":
		t.encoded = appendType(t.encoded, t.info.TypeOf(n.Args[0]))
	case path == "net/url" && (f.Name() == "Get" || f.Name() == "Has"):
		t.parameter(n.Args[0])
	case isEncoder(f):
		t.out[okStatus] = appendType(t.out[okStatus], t.info.TypeOf(n.Args[1]))
	case t.makes(f, n):
	case t.body(f) != nil && f.Name() != "writeError":
		t.named(f, n)
		t.carried(f, n)
		t.give(f, n)
		t.follow(f, depth+1)
	}
}

// give notes the constants of a call, such as a status that a helper answers with.
func (t *tracer) give(f *types.Func, n *ast.CallExpr) {
	parameters := f.Origin().Signature().Params()
	for i, argument := range n.Args {
		if v := t.info.Types[argument].Value; v != nil && i < parameters.Len() {
			t.given[parameters.At(i)] = v
		}
	}
}

// constant is the value of an expression, where it has one.
func (t *tracer) constant(e ast.Expr) constant.Value {
	if v := t.info.Types[e].Value; v != nil {
		return v
	}
	if id, ok := e.(*ast.Ident); ok {
		return t.given[t.info.Uses[id]]
	}
	return nil
}

// isEncoder tells a service's own encoder, which appends a value to a buffer.
func isEncoder(f *types.Func) bool {
	parameters := f.Signature().Params()
	return strings.HasPrefix(f.Name(), "encode") && parameters.Len() == 2 &&
		parameters.At(0).Type().String() == "[]byte"
}

// wireCall notes what goes through the wire package itself.
func (t *tracer) wireCall(name string, n *ast.CallExpr) {
	switch name {
	case "ReadJSON", "DecodeJSON":
		t.in = appendType(t.in, t.info.TypeOf(n.Args[1]))
	case "ReadForm":
		t.form = true
	case "NoContent":
		t.empty = true
	case "WriteJSON":
		status := okStatus
		if v := t.constant(n.Args[2]); v != nil {
			if exact, ok := constant.Int64Val(v); ok {
				status = int(exact)
			}
		}
		t.out[status] = appendType(t.out[status], t.info.TypeOf(n.Args[3]))
	}
}

// named notes a parameter that a helper reads: a constant name beside the query
// itself.
func (t *tracer) named(f *types.Func, n *ast.CallExpr) {
	queried := f.Signature().Recv() != nil && isQuery(f.Signature().Recv().Type())
	for i := range f.Signature().Params().Len() {
		queried = queried || isQuery(f.Signature().Params().At(i).Type())
	}
	if !queried {
		return
	}
	for i, argument := range n.Args {
		takes := f.Signature().Params().At(min(i, f.Signature().Params().Len()-1))
		if takes.Name() == "fields" {
			continue // what a list can be sorted by
		}
		t.parameter(argument)
	}
}

// carried notes a typed argument for a parameter of type any: the helper reads
// into it or writes it.
func (t *tracer) carried(f *types.Func, n *ast.CallExpr) {
	parameters := f.Signature().Params()
	for i, argument := range n.Args {
		if i >= parameters.Len() || !isAny(parameters.At(i).Type()) {
			continue
		}
		typed := t.info.TypeOf(argument)
		switch {
		case t.reaches(f, "ReadJSON", "DecodeJSON"):
			if _, pointer := typed.Underlying().(*types.Pointer); pointer {
				t.in = appendType(t.in, typed)
			}
		case t.reaches(f, "WriteJSON", "WriteBytes"):
			t.out[okStatus] = appendType(t.out[okStatus], typed)
		}
	}
}

// returned notes what a handler returns as any, for its wrapper to write.
func (t *tracer) returned(f *types.Func, n *ast.ReturnStmt, depth int) {
	results := f.Signature().Results()
	for i, expression := range n.Results {
		if i >= results.Len() || !isAny(results.At(i).Type()) {
			continue
		}
		t.answer(expression, depth)
	}
}

func (t *tracer) answer(expression ast.Expr, depth int) {
	call, ok := expression.(*ast.CallExpr)
	if !ok {
		t.out[okStatus] = appendType(t.out[okStatus], t.info.TypeOf(expression))
		return
	}
	// A generic helper says in its type argument what it passes on.
	if id := calledName(call); id != nil {
		if instance, ok := t.info.Instances[id]; ok && instance.TypeArgs.Len() > 0 {
			t.out[okStatus] = appendType(t.out[okStatus], instance.TypeArgs.At(0))
			return
		}
	}
	typed := t.info.TypeOf(call)
	if tuple, ok := typed.(*types.Tuple); ok && tuple.Len() > 0 {
		typed = tuple.At(0).Type()
	}
	t.out[okStatus] = appendType(t.out[okStatus], typed)
}

// reaches reports whether a function calls one of the wire package's, within a
// few steps.
func (t *tracer) reaches(f *types.Func, names ...string) bool {
	return t.reach(f, names, map[string]bool{})
}

func (t *tracer) reach(f *types.Func, names []string, seen map[string]bool) bool {
	declaration := t.body(f)
	if declaration == nil || declaration.Body == nil || seen[key(f.Origin())] || len(seen) > 20 {
		return false
	}
	seen[key(f.Origin())] = true
	found := false
	ast.Inspect(declaration.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		if next := t.callee(call); next != nil && next.Pkg() != nil {
			found = next.Pkg().Path() == wirePath && slices.Contains(names, next.Name()) || t.reach(next, names, seen)
		}
		return !found
	})
	return found
}

// plainName is a word that can be a parameter.
var plainName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.\[\]-]*$`)

func (t *tracer) parameter(expression ast.Expr) {
	value := t.info.Types[expression].Value
	if value == nil {
		t.tabled(expression)
		return
	}
	if value.Kind() != constant.String {
		return
	}
	name := constant.StringVal(value)
	if plainName.MatchString(name) && !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
}

// tabled reads the names out of a table in the same function: the expression is
// a field of the rows of a loop.
func (t *tracer) tabled(expression ast.Expr) {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok || t.at == nil {
		return
	}
	rows, ok := t.info.TypeOf(selector.X).(*types.Struct)
	if !ok {
		return
	}
	ast.Inspect(t.at.Body, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok || !types.Identical(t.info.TypeOf(row), rows) {
			return true
		}
		for i := range min(rows.NumFields(), len(row.Elts)) {
			if rows.Field(i).Name() == selector.Sel.Name && t.info.Types[row.Elts[i]].Value != nil {
				t.parameter(row.Elts[i])
			}
		}
		return true
	})
}

func (t *tracer) callee(n *ast.CallExpr) *types.Func {
	id := calledName(n)
	if id == nil {
		return nil
	}
	f, _ := t.info.Uses[id].(*types.Func)
	return f
}

func calledName(n *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.IndexExpr:
		return calledName(&ast.CallExpr{Fun: f.X})
	}
	return nil
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

func isValues(t types.Type) bool { return t != nil && strings.HasSuffix(t.String(), "net/url.Values") }

// isQuery tells url.Values and the services' own readers of it.
func isQuery(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	return isValues(t) || ok && strings.EqualFold(named.Obj().Name(), "query")
}

// appendType keeps each type once, and none that says nothing.
func appendType(list []types.Type, t types.Type) []types.Type {
	if t == nil {
		return list
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch under := t.Underlying().(type) {
	case *types.Interface, *types.TypeParam, *types.Tuple, *types.Signature:
		return list
	case *types.Basic:
		return list
	case *types.Slice:
		if basic, ok := under.Elem().Underlying().(*types.Basic); ok && basic.Kind() == types.Byte {
			return list
		}
	case *types.Map:
		if isAny(under.Elem()) || strings.HasSuffix(under.Elem().String(), "json.RawMessage") {
			return list
		}
	}
	if strings.HasSuffix(t.String(), "json.RawMessage") || isInternal(t) {
		return list
	}
	if slices.ContainsFunc(list, func(old types.Type) bool { return types.Identical(old, t) }) {
		return list
	}
	return append(list, t)
}

// statuses are the answers in order.
func (t traffic) statuses() []int { return slices.Sorted(maps.Keys(t.out)) }

// all are the types of every answer, in order.
func (t traffic) all() []types.Type {
	var out []types.Type
	for _, status := range t.statuses() {
		out = append(out, t.out[status]...)
	}
	return append(out, t.encoded...)
}
