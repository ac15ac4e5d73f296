package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// rows reads the route tables of a service: the name in a row of type
// route.Route, and the handler that its Handle mentions.
func (s *source) rows(service string) map[string]*types.Func {
	found := map[string]*types.Func{}
	prefix := home(service)
	for name, declaration := range s.bodies {
		if !strings.HasPrefix(name, prefix) || declaration.Body == nil {
			continue
		}
		ast.Inspect(declaration.Body, func(n ast.Node) bool {
			switch row := n.(type) {
			case *ast.CompositeLit:
				if name, handler := s.row(row); handler != nil && s.isRoute(row) {
					found[name] = handler
				}
			case *ast.CallExpr:
				if s.isRoute(row) {
					s.made(row, found)
				}
			}
			return true
		})
	}
	return found
}

// made reads a row that a helper makes: its constant words, one of which is the
// name, beside the handler.
func (s *source) made(row *ast.CallExpr, found map[string]*types.Func) {
	handler := s.mentioned(row)
	for _, argument := range row.Args {
		if v := s.info.Types[argument].Value; handler != nil && v != nil && v.Kind() == constant.String {
			found[constant.StringVal(v)] = handler
		}
	}
}

func (s *source) isRoute(row ast.Expr) bool {
	t := s.info.TypeOf(row)
	return t != nil && strings.HasSuffix(t.String(), "platform/route.Route")
}

func (s *source) row(row *ast.CompositeLit) (name string, handler *types.Func) {
	for _, element := range row.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		id, ok := pair.Key.(*ast.Ident)
		if !ok {
			continue
		}
		switch id.Name {
		case "Name":
			if v := s.info.Types[pair.Value].Value; v != nil {
				name = constant.StringVal(v)
			}
		case "Handle":
			handler = s.mentioned(pair.Value)
		}
	}
	return name, handler
}

// mentioned is the handler that an expression names.
func (s *source) mentioned(expression ast.Expr) (handler *types.Func) {
	ast.Inspect(expression, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && handles(id.Name) {
			if f, ok := s.info.Uses[id].(*types.Func); ok {
				handler = f
			}
		}
		return true
	})
	return handler
}
