package grammar

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Error says which word of a schema cannot be followed, and why.
type Error struct {
	// Path leads to the word, as in "properties.age.minimum"; empty is the root.
	Path    string
	Message string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Bounds of a grammar. The engine refuses longer repetitions; the rest keeps a
// schema from becoming a grammar of megabytes.
const (
	maxRules  = 4000
	maxRepeat = 2000
	// maxMembers is how many members one object has.
	maxMembers = 2000
	maxDepth   = 64
	// maxSteps is how many schemas are visited and words joined: schemas that
	// refer to each other twice are written out twice at every level, and rules
	// that are alike count once.
	maxSteps = 200_000
	// maxText is the grammar in bytes.
	maxText = 1 << 20
)

// FromSchema gives the grammar of a JSON schema. A nil schema is any JSON. It
// ends with ctx.
func FromSchema(ctx context.Context, schema map[string]any) (string, error) {
	b := &builder{
		ctx: ctx, steps: maxSteps, bodies: map[string]string{}, refs: map[string]string{}, shared: map[string]string{},
	}
	// One round through JSON makes every list a []any and every number a float64.
	raw, err := json.Marshal(schema)
	if err != nil {
		return "", &Error{Message: "is not JSON"}
	}
	if err := json.Unmarshal(raw, &b.root); err != nil {
		return "", &Error{Message: "is not an object"}
	}
	body, err := b.visit(b.root, "", 0)
	if err != nil {
		return "", err
	}
	return b.text(body), nil
}

// Enum gives the grammar of exactly these texts, without quotation marks.
func Enum(texts []string) string {
	var out []string
	for _, t := range texts {
		out = append(out, literal(t))
	}
	return "root ::= " + strings.Join(out, " | ") + "\n"
}

// Between puts fixed texts around a grammar made by this package.
func Between(before, text, after string) string {
	return strings.Replace(text, "root ::= ", "root ::= "+literal(before)+" inner "+literal(after)+"\ninner ::= ", 1)
}

// builder collects rules.
type builder struct {
	root   map[string]any
	names  []string
	bodies map[string]string
	// refs are the rules of references that were met; open those that are being
	// followed without anything between, where a circle would have no end.
	refs map[string]string
	open []string
	// shared finds the rule of a body, size is what all bodies take.
	shared map[string]string
	size   int
	// steps are left; ctx is looked at now and then while they are taken.
	steps int
	ctx   context.Context
}

// rule adds a rule and gives its name. Bodies that are alike share one.
func (b *builder) rule(body string) (string, error) {
	if name, ok := b.shared[body]; ok {
		return name, nil
	}
	name := fmt.Sprintf("r%d", len(b.names)+1)
	if err := b.set(name, body); err != nil {
		return "", err
	}
	b.shared[body] = name
	return name, nil
}

func (b *builder) set(name, body string) error {
	if len(b.names) >= maxRules {
		return &Error{Message: fmt.Sprintf("the schema is too large: it needs more than %d rules", maxRules)}
	}
	if b.size += len(body); b.size > maxText {
		return &Error{Message: fmt.Sprintf("the schema is too large: its grammar has more than %d bytes", maxText)}
	}
	if _, known := b.bodies[name]; !known {
		b.names = append(b.names, name)
	}
	b.bodies[name] = body
	return nil
}

// text writes the grammar out, with the fixed rules that are in use.
func (b *builder) text(body string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "root ::= %s\n", body)
	for _, name := range b.names {
		fmt.Fprintf(&out, "%s ::= %s\n", name, b.bodies[name])
	}
	out.WriteString(fixedRules)
	return out.String()
}

// fixedRules are the parts of JSON. Characters outside the ASCII range are
// written as they are, so escapes by number are not needed. A date knows the length
// of its month, but not in which years February has a 29th.
const fixedRules = `ws ::= | " " | "\n" [ \t]{0,16}
char ::= [^"\\\x00-\x1f\x7f] | "\\" ["\\/bfnrt]
string ::= "\"" char* "\""
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
number ::= integer ("." [0-9]{1,15})?
boolean ::= "true" | "false"
null ::= "null"
value ::= object | array | string | number | boolean | null
member ::= string ws ":" ws value
object ::= "{" ws (member (ws "," ws member)*)? ws "}"
array ::= "[" ws (value (ws "," ws value)*)? ws "]"
date ::= [0-9]{4} "-" (long "-" (days | "29" | "3" [01]) | short "-" (days | "29" | "30") | "02-" days)
long ::= "0" [13578] | "1" [02]
short ::= "0" [469] | "11"
days ::= "0" [1-9] | "1" [0-9] | "2" [0-8]
time ::= ("0" [0-9] | "1" [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] "Z"
`

// visit gives the expression of a schema.
func (b *builder) visit(schema any, path string, depth int) (string, error) {
	if depth > maxDepth {
		return "", &Error{path, fmt.Sprintf("the schema is nested deeper than %d", maxDepth)}
	}
	if err := b.step(1, path); err != nil {
		return "", err
	}
	if schema == nil || schema == true {
		return "value", nil
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return "", &Error{path, "is not a schema"}
	}
	if err := checkWords(s, path); err != nil {
		return "", err
	}
	if ref, ok := s["$ref"].(string); ok {
		beside, err := b.merge(s, "$ref", nil, path)
		if err != nil {
			return "", err
		}
		if !constrains(beside) {
			return b.follow(ref, path, depth)
		}
		if beside, err = b.merge(s, "$ref", []any{map[string]any{"$ref": ref}}, path); err != nil {
			return "", err
		}
		return b.visit(beside, path, depth+1)
	}
	if list, fixed, err := fixedValues(s, path); err != nil {
		return "", err
	} else if fixed {
		return b.values(list, path)
	}
	if list, ok := s["allOf"].([]any); ok {
		merged, err := b.merge(s, "allOf", list, path)
		if err != nil {
			return "", err
		}
		return b.visit(merged, path, depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list, ok := s[word].([]any); ok {
			return b.anyOf(s, word, list, path, depth)
		}
	}
	return b.typed(s, path, depth)
}

// step spends steps on what is at path.
func (b *builder) step(n int, path string) error {
	const checkEvery = 1024
	before := b.steps
	if b.steps -= n; b.steps < 0 {
		return &Error{path, "the schema is too large: it takes too many steps to follow"}
	}
	if before/checkEvery != b.steps/checkEvery {
		return context.Cause(b.ctx)
	}
	return nil
}

// follow gives the rule of a reference inside the schema.
func (b *builder) follow(ref, path string, depth int) (string, error) {
	if slices.Contains(b.open, ref) {
		return "", &Error{path, fmt.Sprintf("the reference %q leads back to itself", ref)}
	}
	if name, ok := b.refs[ref]; ok {
		return name, nil
	}
	if err := b.step(len(ref)/8, path); err != nil {
		return "", err
	}
	target, ok := b.resolve(ref)
	if !ok {
		return "", &Error{path, fmt.Sprintf("the reference %q leads nowhere in this schema", ref)}
	}
	name := fmt.Sprintf("ref%d", len(b.refs)+1)
	b.refs[ref] = name
	if err := b.set(name, "value"); err != nil { // until its body is known
		return "", err
	}
	b.open = append(b.open, ref)
	body, err := b.visit(target, ref, depth+1)
	b.open = b.open[:len(b.open)-1]
	if err != nil {
		return "", err
	}
	b.bodies[name] = body
	return name, nil
}

func (b *builder) resolve(ref string) (any, bool) {
	if ref == "#" {
		return b.root, true
	}
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	var at any = b.root
	for _, step := range strings.Split(pointer, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = object[step]; !ok {
			return nil, false
		}
	}
	return at, true
}

// anyOf gives the alternatives, each with what stands beside them.
func (b *builder) anyOf(s map[string]any, word string, list []any, path string, depth int) (string, error) {
	if len(list) == 0 {
		return "", &Error{join(path, word), "has no alternatives"}
	}
	var out []string
	for i, alternative := range list {
		at := fmt.Sprintf("%s[%d]", join(path, word), i)
		merged, err := b.merge(s, word, []any{alternative}, at)
		if err != nil {
			return "", err
		}
		body, err := b.visit(merged, at, depth+1)
		if err != nil {
			return "", err
		}
		out = append(out, body)
	}
	return b.rule(strings.Join(out, " | "))
}

// mustJSON encodes what came out of JSON a moment ago.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// maxPath bounds the path that an error repeats: names are the caller's.
const maxPath = 512

func join(path, word string) string {
	if path == "" && len(word) <= maxPath {
		return word
	}
	if len(path)+len(word) > maxPath {
		return path
	}
	return path + "." + word
}

// literal writes a text as GBNF.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
