package main

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// made notes an answer that a handler returns as a value with the members Status and Body, for
// its wrapper to write. The body of a function that makes such a value is the argument that
// the call gives it.
func (t *tracer) made(literal *ast.CompositeLit, body func(ast.Expr) types.Type) {
	if !isResult(t.info.TypeOf(literal)) {
		return
	}
	status, found := okStatus, types.Type(nil)
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		switch name, _ := pair.Key.(*ast.Ident); name.Name {
		case "Status":
			if v := t.constant(pair.Value); v != nil {
				if exact, ok := constant.Int64Val(v); ok {
					status = int(exact)
				}
			}
		case "Body":
			found = body(pair.Value)
		}
	}
	switch {
	case found != nil && !isAny(found):
		t.out[status] = appendType(t.out[status], found)
	case status == noContent:
		t.empty = true
	}
}

// makes notes the answer of a function such as operation.OK: it returns one literal.
func (t *tracer) makes(f *types.Func, n *ast.CallExpr) bool {
	results := f.Signature().Results()
	declaration := t.body(f)
	if results.Len() != 1 || !isResult(results.At(0).Type()) || declaration == nil || declaration.Body == nil ||
		len(declaration.Body.List) != 1 {
		return false
	}
	returned, ok := declaration.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(returned.Results) != 1 {
		return false
	}
	literal, ok := returned.Results[0].(*ast.CompositeLit)
	if !ok {
		return false
	}
	t.made(literal, func(e ast.Expr) types.Type {
		id, ok := e.(*ast.Ident)
		if !ok {
			return t.info.TypeOf(e)
		}
		for i := range f.Signature().Params().Len() {
			// By name: the parameter that the caller knows is not the one of the declaration.
			if f.Signature().Params().At(i).Name() == id.Name && i < len(n.Args) {
				return t.info.TypeOf(n.Args[i])
			}
		}
		return t.info.TypeOf(e)
	})
	return true
}

// isResult tells a struct with a status and a body of any type.
func isResult(typed types.Type) bool {
	if typed == nil {
		return false
	}
	fields, ok := typed.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	status, body := false, false
	for field := range fields.Fields() {
		status = status || field.Name() == "Status"
		body = body || field.Name() == "Body" && isAny(field.Type())
	}
	return status && body
}
