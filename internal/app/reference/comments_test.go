package reference_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"stoa.dev/stoa/internal/app/settings"
)

// comments finds the comments of the fields of configuration structs.
type comments struct {
	t testing.TB
	// packages holds the structs of a package by its path.
	packages map[string]map[string]*ast.StructType
}

// meaning is the comment of the setting's field in the words of the file: names of
// fields become names of settings, and a leading "Name is" goes.
func (c *comments) meaning(s settings.Setting) string {
	found, ok := c.structs(s.Owner.PkgPath())[s.Owner.Name()]
	if !ok {
		c.t.Errorf("%s: the struct %s is not found", s.Name, s.Owner)
		return ""
	}
	for _, field := range found.Fields.List {
		for _, name := range field.Names {
			if name.Name == s.Field {
				text := strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
				return plain(text, s)
			}
		}
	}
	return ""
}

var leading = regexp.MustCompile(`^(?:is|are|says) `)

func plain(text string, s settings.Setting) string {
	if rest, ok := strings.CutPrefix(text, s.Field+" "); ok && leading.MatchString(rest) {
		_, rest, _ = strings.Cut(rest, " ")
		text = rest
	} else if ok {
		if verb, _, _ := strings.Cut(rest, " "); strings.HasSuffix(verb, "s") && verb != "refusals" &&
			verb != "repositories" && verb != "requests" {
			text = rest
		}
	}
	for i := range s.Owner.NumField() {
		field := s.Owner.Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if key != "" && key != "-" && (field.Name != s.Field || strings.HasPrefix(text, field.Name)) {
			text = regexp.MustCompile(`\b`+field.Name+`\b`).ReplaceAllString(text, key)
		}
	}
	if text == "" {
		return ""
	}
	letters := []rune(text)
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "_,") {
		letters[0] = unicode.ToUpper(letters[0])
	}
	return string(letters)
}

func (c *comments) structs(path string) map[string]*ast.StructType {
	if known, ok := c.packages[path]; ok {
		return known
	}
	folder := filepath.Join("..", "..", "..", strings.TrimPrefix(path, "stoa.dev/stoa/"))
	files, err := os.ReadDir(folder)
	if err != nil {
		c.t.Fatal(err)
	}
	found := map[string]*ast.StructType{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, f.Name()), nil, parser.ParseComments)
		if err != nil {
			c.t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					found[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	c.packages[path] = found
	return found
}

// named reports whether the struct has a name by which its source is found.
func named(t reflect.Type) bool { return t.Name() != "" }
