package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// typed type-checks a source without imports and returns the type T.
func typed(t *testing.T, source string) types.Type {
	t.Helper()
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "t.go", "package p\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", files, []*ast.File{tree}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scope().Lookup("T").Type()
}

// TestTags: a struct without JSON tags is no answer, and one that has some is refused.
func TestTags(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, source    string
		answer, refused bool
	}{
		{"all tagged", "type T struct { ID int `json:\"id\"` }", true, false},
		{"none tagged", "type T struct { ID int }", false, true},
		{"a list of untagged", "type U struct { ID int }; type T []U", false, true},
		{"one untagged", "type T struct { ID int `json:\"id\"`; Name string }", true, true},
		{"untagged inside", "type U struct { Name string }; type T struct { U U `json:\"u\"` }", true, true},
		{"embedded", "type U struct { ID int `json:\"id\"` }; type T struct { U }", true, false},
		{"nothing exported", "type T struct { id int }", true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			one := typed(t, row.source)
			if got := len(appendType(nil, one)) > 0; got != row.answer {
				t.Errorf("taken for an answer: %v, want %v", got, row.answer)
			}
			s := newSchemas()
			s.of(one)
			if err := s.check(); (err != nil) != row.refused {
				t.Errorf("refused: %v, want %v", err, row.refused)
			}
		})
	}
}

// TestPointers: a pointer that is always sent may be null.
func TestPointers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ source, want string }{
		{"type T struct { A *int `json:\"a\"` }", `{"anyOf":[{"type":"integer"},{"type":"null"}]}`},
		{"type T struct { A *int `json:\"a,omitempty\"` }", `{"type":"integer"}`},
		{"type T struct { A int `json:\"a\"` }", `{"type":"integer"}`},
	} {
		t.Run(row.source, func(t *testing.T) {
			t.Parallel()
			s := newSchemas()
			s.of(typed(t, row.source))
			text, err := json.Marshal(s.components["T"].(object)["properties"].(object)["a"])
			if err != nil || string(text) != row.want {
				t.Errorf("%s, %v, want %s", text, err, row.want)
			}
		})
	}
}
