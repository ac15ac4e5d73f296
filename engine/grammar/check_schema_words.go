package grammar

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// wordKinds says of which kind the value of a word is: one of another kind would be
// ignored.
func wordKinds() map[string]string {
	return map[string]string{
		"enum": "list", "allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list", "required": "list",
		"propertyOrdering": "list", "properties": "object", "$defs": "object", "definitions": "object",
		"pattern": "text", "format": "text", "$ref": "text", "nullable": "boolean",
	}
}

// checkWords refuses what the model cannot be held to, and values of another kind than
// their word's. A null is as good as absent.
func checkWords(s map[string]any, path string) error {
	for _, word := range refused() {
		if v, there := s[word]; there && v != false {
			return &Error{
				join(path, word), "a model cannot be held to this word; leave it out and check the answer yourself",
			}
		}
	}
	kinds := wordKinds()
	for _, word := range slices.Sorted(maps.Keys(s)) { // so that the same schema has the same error
		v := s[word]
		if want := kinds[word]; want != "" && v != nil && kindOf(v) != want {
			return &Error{join(path, word), "is not of the kind " + want}
		}
	}
	return nil
}

// kindOf names what a value of JSON is.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "list"
	default:
		return "object"
	}
}

// fixedValues are those of const and enum that agree with the words beside them.
func fixedValues(s map[string]any, path string) (list []any, fixed bool, err error) {
	only, one := s["const"]
	list, many := s["enum"].([]any)
	switch {
	case !one && !many:
		return nil, false, nil
	case one && many && !slices.ContainsFunc(list, func(v any) bool { return mustJSON(v) == mustJSON(only) }):
		return nil, true, &Error{join(path, "const"), "is not in enum"}
	case one:
		list = []any{only}
	case len(list) == 0:
		return nil, true, &Error{join(path, "enum"), "has no values"}
	}
	if err := besideFixed(s, path); err != nil {
		return nil, true, err
	}
	var fitting []any
	for _, v := range list {
		if fitsType(s, v) && fitsBounds(s, v) {
			fitting = append(fitting, v)
		}
	}
	if len(fitting) == 0 {
		return nil, true, &Error{path, "none of its values agrees with the words beside them"}
	}
	return fitting, true, nil
}

// besideFixed refuses words beside const or enum that values are not compared with.
func besideFixed(s map[string]any, path string) error {
	compared := []string{
		"const", "enum", "type", "nullable", "propertyOrdering", "$defs", "definitions", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
	}
	known := append([]string{"pattern", "format", "items", "additionalProperties", "minItems", "maxItems", "minProperties",
		"maxProperties", "allOf", "anyOf", "oneOf", "prefixItems", "required", "properties"}, compared...)
	for _, word := range slices.Sorted(maps.Keys(s)) {
		v := s[word]
		if !slices.Contains(known, word) || slices.Contains(compared, word) || v == nil {
			continue
		}
		if word == "format" && v == "enum" { // the word of Gemini's clients for a text with fixed values
			continue
		}
		return &Error{join(path, word), "cannot be combined with fixed values; list those that agree with it"}
	}
	return nil
}

// fitsType reports whether a value is of one of the types.
func fitsType(s map[string]any, v any) bool {
	kinds := typesOf(s)
	if kinds == nil {
		return true
	}
	if s["nullable"] == true {
		kinds = append(kinds, "null")
	}
	kind := map[string]string{"text": "string", "list": "array"}[kindOf(v)]
	if kind == "" {
		kind = kindOf(v)
	}
	return slices.Contains(kinds, kind) || kind == "integer" && slices.Contains(kinds, "number")
}

// typesOf are the types that a schema names, nil when it names none.
func typesOf(s map[string]any) (kinds []string) {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, v := range t {
			kind, _ := v.(string)
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// fitsBounds compares numbers and the lengths of texts.
func fitsBounds(s map[string]any, v any) bool {
	bounds := []string{"minLength", "maxLength", "", ""}
	var n float64
	switch v := v.(type) {
	case string:
		n = float64(utf8.RuneCountInString(v))
	case float64:
		n, bounds = v, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
	default:
		return true
	}
	for i, agrees := range []func(bound float64) bool{
		func(b float64) bool { return n >= b }, func(b float64) bool { return n <= b },
		func(b float64) bool { return n > b }, func(b float64) bool { return n < b },
	} {
		if bound, ok := s[bounds[i]].(float64); ok && !agrees(bound) {
			return false
		}
	}
	return true
}

// sharedProperty is the schema of a property that two schemas have: both hold.
func sharedProperty(a, b any) any {
	if mustJSON(a) == mustJSON(b) {
		return a
	}
	return map[string]any{"allOf": []any{a, b}}
}

// joinProperties are the properties of two schemas that both hold.
func joinProperties(word string, mine, theirs map[string]any, path string) (map[string]any, error) {
	both := maps.Clone(mine)
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		schema := theirs[name]
		have, there := both[name]
		switch {
		case !there:
			both[name] = schema
		case word == "properties":
			both[name] = sharedProperty(have, schema)
		case mustJSON(have) != mustJSON(schema):
			return nil, &Error{join(path, word), fmt.Sprintf("defines %q twice", name)}
		}
	}
	return both, nil
}
