package generate

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Schema is the API's own subset of OpenAPI 3.0 schemas.
type Schema struct {
	Type             Enum               `json:"type,omitempty"`
	Format           string             `json:"format,omitempty"`
	Title            string             `json:"title,omitempty"`
	Description      string             `json:"description,omitempty"`
	Nullable         bool               `json:"nullable,omitempty"`
	Enum             []string           `json:"enum,omitempty"`
	Items            *Schema            `json:"items,omitempty"`
	MinItems         *Number            `json:"minItems,omitempty"`
	MaxItems         *Number            `json:"maxItems,omitempty"`
	Properties       map[string]*Schema `json:"properties,omitempty"`
	Required         []string           `json:"required,omitempty"`
	MinProperties    *Number            `json:"minProperties,omitempty"`
	MaxProperties    *Number            `json:"maxProperties,omitempty"`
	Minimum          *float64           `json:"minimum,omitempty"`
	Maximum          *float64           `json:"maximum,omitempty"`
	MinLength        *Number            `json:"minLength,omitempty"`
	MaxLength        *Number            `json:"maxLength,omitempty"`
	Pattern          string             `json:"pattern,omitempty"`
	Example          json.RawMessage    `json:"example,omitempty"`
	AnyOf            []*Schema          `json:"anyOf,omitempty"`
	PropertyOrdering []string           `json:"propertyOrdering,omitempty"`
	Default          json.RawMessage    `json:"default,omitempty"`
}

// Number is a 64-bit integer, which this API family sends as a string.
type Number int64

// UnmarshalJSON takes a number or a string that holds one.
func (n *Number) UnmarshalJSON(b []byte) error {
	return json.Unmarshal([]byte(strings.Trim(string(b), `"`)), (*int64)(n))
}

// check resolves the types and finds what contradicts itself.
func (s *Schema) check(field string) error {
	if s == nil {
		return nil
	}
	// Lower-case type names are taken too.
	t, err := schemaTypes().resolve(field+".type", Enum(strings.ToUpper(string(s.Type))))
	if err != nil {
		return err
	}
	s.Type = t
	for _, name := range s.Required {
		if len(s.Properties) > 0 && s.Properties[name] == nil {
			return errInvalid(field+".required", "there is no property %q", name)
		}
	}
	for name, p := range s.Properties {
		if err := p.check(field + ".properties." + name); err != nil {
			return err
		}
	}
	for i, alternative := range s.AnyOf {
		if err := alternative.check(fmt.Sprintf("%s.anyOf[%d]", field, i)); err != nil {
			return err
		}
	}
	if s.Type == "ARRAY" && s.Items == nil {
		return errInvalid(field+".items", "an ARRAY needs items")
	}
	return s.Items.check(field + ".items")
}

// jsonSchema is the schema in the words of JSON Schema.
func (s *Schema) jsonSchema() map[string]any {
	out := map[string]any{}
	put := func(name string, ok bool, value any) {
		if ok {
			out[name] = value
		}
	}
	kind := strings.ToLower(string(s.Type))
	put("type", s.Type != "TYPE_UNSPECIFIED" && s.Type != "" && !s.Nullable, kind)
	put("type", s.Type != "TYPE_UNSPECIFIED" && s.Type != "" && s.Nullable, []string{kind, "null"})
	put("format", s.Format != "" && s.Format != "enum", s.Format)
	put("title", s.Title != "", s.Title)
	put("description", s.Description != "", s.Description)
	put("enum", len(s.Enum) > 0, s.Enum)
	put("minItems", s.MinItems != nil, s.MinItems)
	put("maxItems", s.MaxItems != nil, s.MaxItems)
	put("required", len(s.Required) > 0, s.Required)
	put("minProperties", s.MinProperties != nil, s.MinProperties)
	put("maxProperties", s.MaxProperties != nil, s.MaxProperties)
	put("minimum", s.Minimum != nil, s.Minimum)
	put("maximum", s.Maximum != nil, s.Maximum)
	put("minLength", s.MinLength != nil, s.MinLength)
	put("maxLength", s.MaxLength != nil, s.MaxLength)
	put("pattern", s.Pattern != "", s.Pattern)
	if s.Items != nil {
		out["items"] = s.Items.jsonSchema()
	}
	if len(s.Properties) > 0 {
		properties := map[string]any{}
		for name, p := range s.Properties {
			properties[name] = p.jsonSchema()
		}
		out["properties"] = properties
	}
	if len(s.AnyOf) > 0 {
		var any []any
		for _, a := range s.AnyOf {
			any = append(any, a.jsonSchema())
		}
		out["anyOf"] = any
	}
	if len(s.PropertyOrdering) > 0 {
		out["propertyOrdering"] = s.PropertyOrdering
	}
	return out
}

// schemaOf is whichever of the two spellings of a schema is there, nil for none.
func schemaOf(field string, own *Schema, standard json.RawMessage) (map[string]any, error) {
	if own != nil && len(standard) > 0 {
		return nil, errInvalid(field, "give either the schema or the JSON schema, not both")
	}
	if own != nil {
		if err := own.check(field); err != nil {
			return nil, err
		}
		return own.jsonSchema(), nil
	}
	if len(standard) == 0 || string(standard) == "null" {
		return nil, nil
	}
	var out map[string]any
	if err := json.Unmarshal(standard, &out); err != nil {
		return nil, errInvalid(field, "a JSON schema is an object")
	}
	return out, nil
}

// maxInstance bounds the depth of an example, so that a schema that refers to
// itself comes to an end.
const maxInstance = 20

// instance is the smallest value that fits a JSON schema, for scripts that
// must answer in a given form. seedText fills the first free string.
type instance struct {
	root map[string]any
	text string
}

func (g *instance) value(schema map[string]any, depth int) any {
	if depth > maxInstance {
		return nil
	}
	if ref, ok := schema["$ref"].(string); ok {
		return g.value(g.follow(ref), depth+1)
	}
	for _, word := range []string{"const", "default", "example"} {
		if v, ok := schema[word]; ok {
			return v
		}
	}
	if list := listOf(schema["enum"]); len(list) > 0 {
		return list[0]
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[word].([]any); ok && len(list) > 0 {
			if first, ok := list[0].(map[string]any); ok {
				return g.value(first, depth+1)
			}
		}
	}
	return g.typed(schema, depth)
}

func (g *instance) typed(schema map[string]any, depth int) any {
	switch kindOf(schema) {
	case "object":
		return g.object(schema, depth)
	case "array":
		items, _ := schema["items"].(map[string]any)
		n := max(1, int(numberOf(schema["minItems"], 1)))
		list := make([]any, 0, min(n, 64))
		for range min(n, 64) {
			list = append(list, g.value(items, depth+1))
		}
		return list
	case "integer", "number":
		return g.number(schema)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return g.string(schema)
}

func (g *instance) number(schema map[string]any) any {
	low, high := numberOf(schema["minimum"], 1), numberOf(schema["maximum"], 0)
	if schema["maximum"] != nil && low > high {
		low = high
	}
	if kindOf(schema) == "integer" {
		return int64(low)
	}
	return low
}

func (g *instance) string(schema map[string]any) string {
	switch schema["format"] {
	case "date-time":
		return "2026-01-02T03:04:05Z"
	case "date":
		return "2026-01-02"
	}
	value := g.text
	if most := int(numberOf(schema["maxLength"], 200)); len([]rune(value)) > most {
		value = string([]rune(value)[:most])
	}
	for least := int(numberOf(schema["minLength"], 0)); len([]rune(value)) < min(least, 10_000); {
		value += "x"
	}
	return value
}

func (g *instance) object(schema map[string]any, depth int) any {
	properties, _ := schema["properties"].(map[string]any)
	out := ordered{}
	for _, name := range orderOf(schema, properties) {
		if p, ok := properties[name].(map[string]any); ok {
			out = append(out, pair{name, g.value(p, depth+1)})
		}
	}
	return out
}

// orderOf is propertyOrdering first, then the alphabet.
func orderOf(schema, properties map[string]any) []string {
	var order []string
	for _, v := range listOf(schema["propertyOrdering"]) {
		if name, ok := v.(string); ok && properties[name] != nil && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	var rest []string
	for name := range properties {
		if !slices.Contains(order, name) {
			rest = append(rest, name)
		}
	}
	sort.Strings(rest)
	return append(order, rest...)
}

// follow resolves "#/$defs/name".
func (g *instance) follow(ref string) map[string]any {
	at := g.root
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[step].(map[string]any)
	}
	return at
}

func kindOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []string:
		return t[0]
	case []any:
		for _, v := range t {
			if s, ok := v.(string); ok && s != "null" {
				return s
			}
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return "string"
}

func listOf(v any) []any {
	switch list := v.(type) {
	case []any:
		return list
	case []string:
		out := make([]any, len(list))
		for i, s := range list {
			out[i] = s
		}
		return out
	}
	return nil
}

func numberOf(v any, otherwise float64) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case *float64:
		return *n
	case *Number:
		return float64(*n)
	}
	return otherwise
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

// exampleOf is the smallest JSON text that fits the schema.
func exampleOf(schema map[string]any, text string) (json.RawMessage, error) {
	g := instance{root: schema, text: text}
	b, err := json.Marshal(g.value(schema, 0))
	if err != nil {
		return nil, fmt.Errorf("example of a schema: %w", err)
	}
	return b, nil
}
