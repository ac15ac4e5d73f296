package dialect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// constants lists the Word constants of word_constants.go in order.
func constants(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "word_constants.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
		}
	}
	return names[:len(names)-1] // without wordCount
}

func TestTableAndConstantsAgree(t *testing.T) {
	t.Parallel()
	rows, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range rows {
		if r.name != unnamed {
			names = append(names, r.name)
		}
	}
	if diff := cmp.Diff(constants(t), names); diff != "" {
		t.Fatalf("word_constants.go and words.tsv differ (-constants +table):\n%s", diff)
	}
}

func TestTableIsUnambiguous(t *testing.T) {
	t.Parallel()
	rows, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	letters := ""
	seen := map[string]string{}
	for _, r := range rows {
		letters += r.letters
		if r.kind == "value" {
			continue // Values stand in different places of a service: one text may mean two things.
		}
		for _, letter := range r.letters {
			for _, spelling := range append([]string{r.neutral}, r.brands...) {
				key := string(letter) + " " + r.kind + " " + strings.ToLower(spelling)
				if other, taken := seen[key]; taken {
					t.Errorf("%s and %s are both spelt %q", other, r.name, key)
				}
				seen[key] = r.name
			}
		}
	}
	for _, letter := range "CDEFGHIJLM" {
		if !strings.ContainsRune(letters, letter) {
			t.Errorf("service %c has no row", letter)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, line, want string }{
		{"columns", "A\tB\theader\tx", "4 columns, want 5"},
		{"empty column", "A\tB\theader\t\ty", "an empty column"},
		{"letter", "A\tZ\theader\tx\ty", "not a service"},
		{"kind", "A\tB\tcookies\tx\ty", "not a kind"},
		{"same spelling", "A\tB\theader\tx\tx", "equal to the neutral"},
		{"never read", "-\tC\tvalue\tx\ty", "never read"},
		{"empty brand", "A\tB\theader\tx\ty|", "empty brand"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse("# comment\n\n" + row.line + "\n")
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "line 3") {
				t.Fatalf("parse = %v, want an error with %q and line 3", err, row.want)
			}
		})
	}
	t.Run("too few rows", func(t *testing.T) {
		t.Parallel()
		if _, err := build(nil, true); err == nil {
			t.Fatal("build = nil, want an error")
		}
	})
}
