package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of the text. A push brings it, so it is read with care.
const (
	maxBytes   = 256 << 10
	maxNodes   = 50_000
	maxDepth   = 40
	maxNesting = 200
	// The YAML reader takes the square of the lines of a map and of the marks of
	// a line.
	maxLines = 6_000
	maxMarks = 1_000
)

// node is a value of the document. Nodes are never changed once read, so an
// alias shares the node of its anchor and costs nothing.
type node struct {
	file         string
	line, column int
	kind         nodeKind
	value        any // string, bool, int64, float64 or nil of a scalar
	text         string
	entries      []entry
	items        []*node
}

type entry struct {
	key  string
	at   *node
	node *node
}

type nodeKind int

const (
	scalar nodeKind = iota
	mapping
	sequence
)

func (n *node) what() string {
	switch n.kind {
	case mapping:
		return "a map"
	case sequence:
		return "a list"
	default:
		switch n.value.(type) {
		case nil:
			return "nothing"
		case bool:
			return "true or false"
		case int64, float64:
			return "a number"
		}
		return "text"
	}
}

// get returns the value of a key, nil when it is missing.
func (n *node) get(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.node
		}
	}
	return nil
}

// read turns the text of a file into nodes.
func read(src []byte, file string) (*node, error) {
	n, err := readText(src, file)
	return n, named(err, file)
}

func readText(src []byte, name string) (*node, error) {
	if len(src) > maxBytes {
		return nil, whole("the file has %d bytes, at most %d are read", len(src), maxBytes)
	}
	if i := notText(string(src)); i >= 0 {
		return nil, &Error{
			Line: 1 + bytes.Count(src[:i], []byte("\n")), Column: i - bytes.LastIndexByte(src[:i], '\n'),
			Message: "a NUL character, or bytes that are not UTF-8; save the file as UTF-8 text",
		}
	}
	if err := nesting(src); err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(src, 0)
	if err != nil {
		return nil, syntax(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, whole("the file is empty; it needs version, jobs and workflows")
	}
	if len(file.Docs) > 1 && file.Docs[1].Body != nil {
		return nil, whole("the file holds %d documents; write one", len(file.Docs))
	}
	r := reader{file: name, anchors: map[string]*node{}}
	return r.node(file.Docs[0].Body, 0)
}

// notText finds the first byte that no program and no database takes as text,
// -1 when there is none.
func notText(s string) int {
	for i, c := range s {
		if c == 0 || (c == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD")) {
			return i
		}
	}
	return -1
}

// nesting refuses text whose brackets or dashes open deeper than any sensible
// document, and text that a parser would follow for too long, before it does.
func nesting(src []byte) error {
	line, depth, dashes, marks := 1, 0, 0, 0
	for i, c := range src {
		switch c {
		case '\n':
			line, dashes, marks = line+1, 0, 0
		case '[', '{':
			depth++
			marks++
		case ']', '}':
			depth = max(0, depth-1)
			marks++
		case '*', '&', '!', ',', '|', '>', '%', '@', '#', '"', '\'', '`':
			marks++
		case '-', '?', ':':
			if i+1 < len(src) && (src[i+1] == ' ' || src[i+1] == '\t') {
				dashes++
			}
		}
		switch {
		case depth > 10*maxNesting || dashes > maxNesting:
			return &Error{Line: line, Column: 1, Message: "the text is nested too deeply here"}
		case marks > maxMarks:
			return &Error{Line: line, Column: 1, Message: fmt.Sprintf("more than %d brackets, commas, quotes and other "+
				"marks in a line; break it, or put it into a file of the repository", maxMarks)}
		case line > maxLines:
			return &Error{Line: line, Column: 1, Message: fmt.Sprintf("the file has more than %d lines", maxLines)}
		}
	}
	return nil
}

// syntax gives a complaint of the YAML reader our form.
func syntax(err error) error {
	out := &Error{}
	var at interface{ GetToken() *token.Token }
	var plain interface{ GetMessage() string }
	if errors.As(err, &plain) {
		out.Message = clip("this is not YAML: " + firstLine(plain.GetMessage()))
	} else {
		out.Message = clip("this is not YAML: " + firstLine(err.Error()))
	}
	if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
		out.Line, out.Column = at.GetToken().Position.Line, at.GetToken().Position.Column
	}
	return out
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// reader turns the parser's tree into ours.
type reader struct {
	file    string
	anchors map[string]*node
	nodes   int
}

func (r *reader) node(n ast.Node, depth int) (*node, error) {
	out := &node{file: r.file}
	if t := n.GetToken(); t != nil && t.Position != nil {
		out.line, out.column = t.Position.Line, t.Position.Column
	}
	if r.nodes++; r.nodes > maxNodes {
		return nil, out.errorf("the file has more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return nil, out.errorf("values are nested deeper than %d", maxDepth)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return r.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = sequence
		for _, v := range n.Values {
			item, err := r.node(v, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
		return out, nil
	case *ast.AnchorNode:
		value, err := r.node(n.Value, depth+1)
		if err == nil {
			r.anchors[n.Name.GetToken().Value] = value
		}
		return value, err
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		value, ok := r.anchors[name]
		if !ok {
			return nil, out.errorf("*%s stands for nothing; write &%s before the value it should repeat, further up",
				name, name)
		}
		return value, nil
	case *ast.TagNode:
		return nil, out.errorf("the tag %s is not understood; write the value without it", n.Start.Value)
	default:
		return r.scalar(out, n)
	}
}

func (r *reader) scalar(out *node, n ast.Node) (*node, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		out.value, out.text = n.Value, n.Value
	case *ast.LiteralNode:
		out.value, out.text = n.Value.Value, n.Value.Value
	case *ast.BoolNode:
		out.value, out.text = n.Value, n.GetToken().Value
	case *ast.IntegerNode:
		out.text = n.GetToken().Value
		switch v := n.Value.(type) {
		case int64:
			out.value = v
		case uint64:
			out.value = int64(min(v, 1<<62))
		}
	case *ast.FloatNode:
		out.value, out.text = n.Value, n.GetToken().Value
	case *ast.NullNode:
	default:
		return nil, out.errorf("a value of this form is not understood; write text, a number, a list or a map")
	}
	// An escape can say what the text itself may not.
	if notText(out.text) >= 0 {
		return nil, out.errorf("text must not hold a NUL character or bytes that are not UTF-8")
	}
	return out, nil
}

// mapping reads keys in order. A key given twice is a mistake; a merged key
// gives way to one that is written out.
func (r *reader) mapping(out *node, values []*ast.MappingValueNode, depth int) (*node, error) {
	out.kind = mapping
	var merged []*node
	seen := map[string]bool{}
	for _, v := range values {
		value, err := r.node(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		at := &node{file: r.file}
		if t := v.Key.GetToken(); t != nil && t.Position != nil {
			at.line, at.column = t.Position.Line, t.Position.Column
		}
		if len(out.entries) == 0 && at.line > 0 {
			out.line, out.column = at.line, at.column
		}
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			merged = append(merged, value)
			continue
		}
		key, err := r.key(at, v.Key)
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, at.errorf("%q is given twice; keep one", key)
		}
		seen[key] = true
		out.entries = append(out.entries, entry{key: key, at: at, node: value})
	}
	for _, m := range merged {
		if err := r.merge(out, m, seen); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *reader) key(at *node, key ast.Node) (string, error) {
	if _, ok := key.(*ast.MappingKeyNode); ok {
		return "", at.errorf("a key with ? is not understood; write it as name: value")
	}
	n, err := r.scalar(&node{file: at.file, line: at.line, column: at.column}, key)
	if err != nil || n.text == "" {
		return "", at.errorf("a key must be plain text")
	}
	return n.text, nil
}

// merge adds the entries of << that are not written out.
func (r *reader) merge(out, from *node, seen map[string]bool) error {
	switch from.kind {
	case sequence:
		for _, item := range from.items {
			if item.kind != mapping {
				return item.errorf("<< takes maps, this is %s", item.what())
			}
			if err := r.merge(out, item, seen); err != nil {
				return err
			}
		}
	case mapping:
		if r.nodes += len(from.entries); r.nodes > maxNodes {
			return from.errorf("the file has more than %d values", maxNodes)
		}
		for _, e := range from.entries {
			if !seen[e.key] {
				seen[e.key] = true
				out.entries = append(out.entries, e)
			}
		}
	default:
		return from.errorf("<< takes a map, this is %s", from.what())
	}
	return nil
}
