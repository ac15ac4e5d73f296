package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// Bounds of an example. Callers write the schemas: one that refers to itself
// must come to an end, and one that multiplies must not fill the memory.
const (
	// optionalDepth is from where on only what must be there is.
	optionalDepth = 6
	maxDepth      = 20
	// maxExample is in bytes, roughly; longer answers would be cut off anyway.
	maxExample = 256 << 10
	// maxWork is how many words of schemas are joined and followed.
	maxWork = 1_000_000
)

// example is a small value that fits a JSON schema, for scripts that must
// answer in a given form. It follows type, enum, const, default, $ref, anyOf,
// oneOf, allOf, properties, required, items, prefixItems, the bounds of
// numbers, lengths and items, multipleOf, pattern and the formats of time.
type example struct {
	root map[string]any
	// text fills free strings.
	text string
	// size is what the value takes so far, work what was looked at to make it.
	size, work int
}

// exampleOf is the JSON text of an example; field is where the schema stands.
func exampleOf(field string, schema map[string]any, text string) (json.RawMessage, error) {
	g := example{root: schema, text: text}
	value := g.value(schema, 0)
	if g.work > maxWork {
		return nil, api.ErrInvalidField(field, "the schema takes too many steps to follow")
	}
	if g.size > maxExample {
		return nil, api.ErrInvalidField(field, "the smallest answer to this schema is longer than %d bytes", maxExample)
	}
	b, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("example of a schema: %w", err)
	}
	return b, nil
}

func (g *example) value(schema map[string]any, depth int) any {
	g.work++
	if g.size += 2; g.size > maxExample || g.work > maxWork || depth > maxDepth {
		return nil
	}
	if ref, ok := schema["$ref"].(string); ok {
		return g.value(g.follow(ref), depth+1)
	}
	for _, word := range []string{"const", "default", "example"} {
		if v, ok := schema[word]; ok {
			return g.fixed(v)
		}
	}
	if list := listOf(schema["enum"]); len(list) > 0 {
		g.work += len(list)
		return g.fixed(list[0])
	}
	if list := listOf(schema["allOf"]); len(list) > 0 {
		return g.value(g.merged(schema, list), depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list := listOf(schema[word]); len(list) > 0 {
			first, _ := list[0].(map[string]any)
			return g.value(first, depth+1)
		}
	}
	return g.typed(schema, depth)
}

// fixed is a value that stands in the schema. It counts wherever it is used: a
// reference to it is short.
func (g *example) fixed(v any) any {
	if g.weigh(v); g.size > maxExample {
		return nil
	}
	return v
}

func (g *example) weigh(v any) {
	g.size += 2
	switch v := v.(type) {
	case string:
		g.size += len(v)
	case []any:
		for n := 0; n < len(v) && g.size <= maxExample; n++ {
			g.weigh(v[n])
		}
	case map[string]any:
		for name, value := range v {
			if g.size += len(name); g.size > maxExample {
				return
			}
			g.weigh(value)
		}
	}
}

// follow resolves "#" and "#/$defs/name".
func (g *example) follow(ref string) map[string]any {
	at := g.root
	if ref == "#" {
		return at
	}
	if g.work += len(ref) / 8; g.work > maxWork {
		return nil
	}
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)].(map[string]any)
	}
	return at
}

// merged joins schemas that all apply.
func (g *example) merged(schema map[string]any, list []any) map[string]any {
	out := map[string]any{}
	properties, required := map[string]any{}, []any{}
	for i := -1; i < len(list); i++ {
		one := schema
		if i >= 0 {
			one, _ = list[i].(map[string]any)
		}
		if ref, ok := one["$ref"].(string); ok {
			one = g.follow(ref)
		}
		members, _ := one["properties"].(map[string]any)
		if g.work += len(one) + len(members); g.work > maxWork {
			return out
		}
		maps.Copy(out, one)
		maps.Copy(properties, members)
		required = append(required, listOf(one["required"])...)
	}
	delete(out, "allOf")
	if len(properties) > 0 {
		out["properties"] = properties
	}
	out["required"] = required
	return out
}

func (g *example) typed(schema map[string]any, depth int) any {
	switch kindOf(schema) {
	case "object":
		return g.object(schema, depth)
	case "array":
		return g.array(schema, depth)
	case "integer", "number":
		return number(schema)
	case "boolean":
		return true
	case "null":
		return nil
	}
	s := g.string(schema)
	g.size += len(s)
	return s
}

func (g *example) object(schema map[string]any, depth int) any {
	properties, _ := schema["properties"].(map[string]any)
	required := listOf(schema["required"])
	g.work += len(required) + len(properties)
	must := map[any]bool{}
	for _, name := range required {
		if text, ok := name.(string); ok {
			must[text] = true
		}
	}
	out := ordered{}
	for _, name := range orderOf(schema, properties) {
		if p, ok := properties[name].(map[string]any); ok && (depth < optionalDepth || must[name]) {
			g.size += len(name)
			out = append(out, pair{name, g.value(p, depth+1)})
		}
	}
	more, _ := schema["additionalProperties"].(map[string]any)
	for _, v := range required {
		if name, ok := v.(string); ok && properties[name] == nil {
			g.size += len(name)
			out = append(out, pair{name, g.value(more, depth+1)})
		}
	}
	return out
}

func (g *example) array(schema map[string]any, depth int) any {
	first := listOf(schema["prefixItems"])
	items, _ := schema["items"].(map[string]any)
	n := max(1, len(first))
	if depth >= optionalDepth {
		n = len(first)
	}
	n = max(n, countOf(schema["minItems"], 0))
	n = min(n, countOf(schema["maxItems"], n))
	list := []any{}
	for i := 0; i < n && g.size <= maxExample; i++ {
		item := items
		if i < len(first) {
			item, _ = first[i].(map[string]any)
		}
		list = append(list, g.value(item, depth+1))
	}
	return list
}

func (g *example) string(schema map[string]any) string {
	switch schema["format"] {
	case "date-time":
		return "2026-01-02T03:04:05Z"
	case "date":
		return "2026-01-02"
	case "time":
		return "03:04:05Z"
	}
	if pattern, ok := schema["pattern"].(string); ok {
		if s, ok := shortestMatch(pattern); ok {
			return s
		}
	}
	value := []rune(g.text)
	value = value[:min(len(value), countOf(schema["maxLength"], 200))]
	return string(value) + strings.Repeat("x", max(0, countOf(schema["minLength"], 0)-len(value)))
}

// number is the first of a few that fits: the lower bound, one, zero, and what
// is nearest to a bound.
func number(schema map[string]any) any {
	step := numberOf(schema["multipleOf"], 0)
	whole := kindOf(schema) == "integer"
	if whole && step < 1 {
		step = 1
	}
	low := max(numberOf(schema["minimum"], math.Inf(-1)), numberOf(schema["exclusiveMinimum"], math.Inf(-1)))
	high := min(numberOf(schema["maximum"], math.Inf(1)), numberOf(schema["exclusiveMaximum"], math.Inf(1)))
	fits := func(n float64) bool {
		return n >= low && n <= high && !math.IsInf(n, 0) &&
			(step <= 0 || math.Mod(n, step) == 0) && (!whole || n == math.Trunc(n)) &&
			n != numberOf(schema["exclusiveMinimum"], math.Inf(-1)) &&
			n != numberOf(schema["exclusiveMaximum"], math.Inf(1))
	}
	tries := []float64{low, 1, 0, low + 1, high - 1, high, (low + high) / 2}
	if step > 0 {
		up, down := math.Ceil(low/step)*step, math.Floor(high/step)*step
		tries = append(tries, up, up+step, down, down-step)
	}
	for _, n := range tries {
		switch {
		case !fits(n):
		case whole && math.Abs(n) < 1<<53:
			return int64(n)
		default:
			return n
		}
	}
	return 0
}

// orderOf is propertyOrdering first, then the alphabet.
func orderOf(schema, properties map[string]any) []string {
	var order []string
	for _, v := range listOf(schema["propertyOrdering"]) {
		if name, ok := v.(string); ok && properties[name] != nil && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	rest := slices.Sorted(maps.Keys(properties))
	return append(order, slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(order, name) })...)
}

// kindOf is the type of a schema, or what its words suggest.
func kindOf(schema map[string]any) string {
	for _, v := range append(listOf(schema["type"]), schema["type"]) {
		if s, ok := v.(string); ok && s != "null" {
			return s
		}
	}
	switch {
	case schema["type"] != nil:
		return "null"
	case schema["properties"] != nil, len(listOf(schema["required"])) > 0:
		return "object"
	case schema["items"] != nil, schema["prefixItems"] != nil:
		return "array"
	case schema["minimum"] != nil, schema["maximum"] != nil:
		return "number"
	}
	return "string"
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

func numberOf(v any, otherwise float64) float64 {
	if n, ok := v.(float64); ok {
		return n
	}
	return otherwise
}

// countOf is a number of things, within what an example can hold.
func countOf(v any, otherwise int) int {
	return int(min(max(numberOf(v, float64(otherwise)), 0), maxExample))
}

// ordered is a JSON object whose members keep their order.
type ordered []pair

type pair struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, p := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}
