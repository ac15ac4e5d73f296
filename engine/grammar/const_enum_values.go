package grammar

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// values gives fixed values.
func (b *builder) values(list []any, path string) (string, error) {
	var out []string
	seen := map[string]bool{}
	for _, v := range list {
		text := literal(mustJSON(v))
		if err := b.step(1+len(text)/64, path); err != nil {
			return "", err
		}
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return b.rule(strings.Join(out, " | "))
}
