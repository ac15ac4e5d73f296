package seed

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds of a text. The YAML reader's work grows with the square of the marks of a
// line and of the lines of an object.
const (
	MaxText  = 1 << 20
	MaxDepth = 32
	maxLines = 20_000
	maxMarks = 1_000
)

// node is one value of a file with its place.
type node struct {
	line, column int
	// One of these; none for null.
	scalar  any // string, bool, int64, uint64 or float64
	members []member
	list    []*node
	kind    kind
}

type kind int

const (
	isNull kind = iota
	isScalar
	isObject
	isList
)

func (k kind) String() string {
	return [...]string{"nothing", "a single value", "an object", "a list"}[k]
}

type member struct {
	name         string
	line, column int
	value        *node
}

// failure is a fault of the text at a place.
type failure struct {
	line, column int
	path         []any
	err          error
}

func (f *failure) Error() string { return f.err.Error() }

func (n *node) failf(path []any, format string, args ...any) *failure {
	return &failure{line: n.line, column: n.column, path: path, err: fmt.Errorf(format, args...)}
}

// parse reads the text of one document.
func parse(text []byte) (*node, *failure) {
	if f := checkBounds(text); f != nil {
		return nil, f
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, syntaxFailure(err)
	}
	if len(file.Docs) > 1 && file.Docs[1].Body != nil {
		at := place(file.Docs[1].Body)
		return nil, at.failf(nil, "the file holds a second document; one is read")
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return &node{line: 1, column: 1, kind: isObject}, nil
	}
	return convert(file.Docs[0].Body, 0)
}

// checkBounds refuses what the reader would follow for too long, before it does.
func checkBounds(text []byte) *failure {
	if len(text) > MaxText {
		return &failure{line: 1, column: 1, err: fmt.Errorf("the file has more than %d bytes", MaxText)}
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return &failure{line: 1, column: 1, err: errors.New("the file is not UTF-8 text")}
	}
	line, open := 0, 0
	for row := range bytes.Lines(text) {
		line++
		marks, dashes := 0, 0
		for i, c := range row {
			switch c {
			case '[', '{':
				open++
				marks++
			case ']', '}':
				open = max(0, open-1)
				marks++
			case '*', '&', '!', ',', '|', '>', '%', '@', '#', '"', '\'', '`':
				marks++
			case '-', '?', ':':
				if i+1 < len(row) && (row[i+1] == ' ' || row[i+1] == '\t') {
					dashes++
				}
			}
		}
		if marks > maxMarks || dashes > maxMarks || open > maxMarks {
			return &failure{line: line, column: 1, err: fmt.Errorf(
				"more than %d brackets, commas, quotes and other marks in a line or open at once: break the line", maxMarks)}
		}
		if line > maxLines {
			return &failure{line: line, column: 1, err: fmt.Errorf("the file has more than %d lines", maxLines)}
		}
	}
	return nil
}

func syntaxFailure(err error) *failure {
	f := &failure{line: 1, column: 1, err: errors.New("this is not YAML")}
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		f.err = errors.New(syntax.GetMessage())
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			f.line, f.column = t.Position.Line, t.Position.Column
		}
	}
	return f
}

// place is where a node of the reader stands.
func place(n ast.Node) *node {
	t := n.GetToken()
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		t = m.Values[0].Key.GetToken()
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		t = m.Key.GetToken()
	}
	return at(t)
}

func at(t *token.Token) *node {
	if t == nil || t.Position == nil {
		return &node{line: 1, column: 1}
	}
	return &node{line: t.Position.Line, column: t.Position.Column}
}

func convert(n ast.Node, depth int) (*node, *failure) {
	out := place(n)
	if depth > MaxDepth {
		return nil, out.failf(nil, "there are more than %d levels", MaxDepth)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return out, nil
	case *ast.StringNode:
		out.kind, out.scalar = isScalar, n.Value
	case *ast.LiteralNode:
		out.kind, out.scalar = isScalar, n.Value.Value
	case *ast.BoolNode:
		out.kind, out.scalar = isScalar, n.Value
	case *ast.IntegerNode:
		out.kind, out.scalar = isScalar, n.Value
	case *ast.FloatNode:
		out.kind, out.scalar = isScalar, n.Value
	case *ast.SequenceNode:
		return out, out.addElements(n, depth)
	case *ast.MappingNode:
		return out, out.addMembers(n.Values, depth)
	case *ast.MappingValueNode:
		return out, out.addMembers([]*ast.MappingValueNode{n}, depth)
	default:
		return nil, out.failf(nil, "%s is not read here: write the value out", strings.ToLower(n.Type().String()))
	}
	return out, nil
}

func (n *node) addElements(list *ast.SequenceNode, depth int) *failure {
	n.kind = isList
	for _, v := range list.Values {
		element, f := convert(v, depth+1)
		if f != nil {
			return f
		}
		n.list = append(n.list, element)
	}
	return nil
}

func (n *node) addMembers(values []*ast.MappingValueNode, depth int) *failure {
	n.kind = isObject
	known := map[string]bool{}
	for _, v := range values {
		where := at(v.Key.GetToken())
		key, ok := v.Key.(ast.ScalarNode)
		if !ok {
			return where.failf(nil, "a name is expected here")
		}
		name := fmt.Sprint(key.GetValue())
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			return where.failf(nil, "merge keys are not read here: write the members out")
		}
		if known[name] {
			return where.failf(nil, "%s is there twice", name)
		}
		known[name] = true
		value, f := convert(v.Value, depth+1)
		if f != nil {
			return f
		}
		n.members = append(n.members, member{name: name, line: where.line, column: where.column, value: value})
	}
	return nil
}

// unmarshal hands the node to a value that reads itself from text or from JSON.
func (n *node) unmarshal(v any, path []any) *failure {
	if t, ok := v.(encoding.TextUnmarshaler); ok {
		text, isText := n.scalar.(string)
		if !isText {
			return n.failf(path, "a text is expected, not %s", n.kind)
		}
		if err := t.UnmarshalText([]byte(text)); err != nil {
			return n.failf(path, "%w", err)
		}
		return nil
	}
	text, err := json.Marshal(n.value())
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return n.failf(path, "%w", err)
	}
	return nil
}

// value is what the node says, as encoding/json has it.
func (n *node) value() any {
	switch n.kind {
	case isObject:
		out := map[string]any{}
		for _, m := range n.members {
			out[m.name] = m.value.value()
		}
		return out
	case isList:
		out := []any{}
		for _, element := range n.list {
			out = append(out, element.value())
		}
		return out
	}
	return n.scalar
}

// find is the nearest place on a path.
func (n *node) find(path []any) *node {
	for _, step := range path {
		next := n.step(step)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

func (n *node) step(step any) *node {
	switch step := step.(type) {
	case int:
		if step < len(n.list) {
			return n.list[step]
		}
	case string:
		for _, m := range n.members {
			if m.name == step {
				return m.value
			}
		}
	}
	return nil
}
