package grammar

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// typed gives a schema by its type, or by every type it has.
func (b *builder) typed(s map[string]any, path string, depth int) (string, error) {
	kinds := typesOf(s)
	switch t, there := s["type"]; {
	case len(kinds) > 0:
	case there && t != nil:
		return "", &Error{join(path, "type"), "is neither a text nor a list with one"}
	default:
		kinds = guess(s)
	}
	if nullable, _ := s["nullable"].(bool); nullable && !slices.Contains(kinds, "null") {
		kinds = append(kinds, "null")
	}
	var out []string
	for _, kind := range kinds {
		body, err := b.kind(kind, s, path, depth)
		if err != nil {
			return "", err
		}
		out = append(out, body)
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return b.rule(strings.Join(out, " | "))
}

// guess finds the type of a schema that does not name it.
func guess(s map[string]any) []string {
	for _, g := range []struct {
		kind  string
		words []string
	}{
		{"object", []string{"properties", "required", "additionalProperties", "minProperties", "maxProperties"}},
		{"array", []string{"items", "prefixItems", "minItems", "maxItems"}},
		{"string", []string{"pattern", "minLength", "maxLength"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}},
	} {
		for _, word := range g.words {
			if _, there := s[word]; there {
				return []string{g.kind}
			}
		}
	}
	return []string{"value"}
}

func (b *builder) kind(kind string, s map[string]any, path string, depth int) (string, error) {
	// Inside an object or an array a reference to what is being built is fine:
	// there is text between.
	switch kind {
	case "object", "array":
		open := b.open
		b.open = nil
		defer func() { b.open = open }()
		if kind == "object" {
			return b.object(s, path, depth)
		}
		return b.array(s, path, depth)
	case "string":
		return b.string(s, path)
	case "integer", "number":
		return b.number(kind, s, path)
	case "boolean", "null", "value":
		return kind, nil
	}
	return "", &Error{join(path, "type"), fmt.Sprintf("%q is not a type", kind)}
}

// count reads a bound on lengths; -1 is none.
func count(s map[string]any, word, path string) (int, error) {
	v, there := s[word]
	if !there {
		return -1, nil
	}
	n, ok := v.(float64)
	if !ok || n < 0 || n != math.Trunc(n) {
		return 0, &Error{join(path, word), "is not a whole number"}
	}
	if n > maxRepeat {
		return 0, &Error{join(path, word), fmt.Sprintf("a model can be held to at most %d", maxRepeat)}
	}
	return int(n), nil
}

// span reads a pair of bounds.
func span(s map[string]any, low, high, path string) (from, to int, err error) {
	if from, err = count(s, low, path); err != nil {
		return 0, 0, err
	}
	if to, err = count(s, high, path); err != nil {
		return 0, 0, err
	}
	if to >= 0 && from > to {
		return 0, 0, &Error{join(path, low), "is above " + high}
	}
	return max(from, 0), to, nil
}

// repeat writes how often something comes; to of -1 is for ever.
func repeat(item string, from, to int) string {
	switch {
	case from == 0 && to < 0:
		return item + "*"
	case to < 0:
		return fmt.Sprintf("%s{%d,}", item, from)
	case to == 0:
		return `""`
	}
	return fmt.Sprintf("%s{%d,%d}", item, from, to)
}

func (b *builder) string(s map[string]any, path string) (string, error) {
	from, to, err := span(s, "minLength", "maxLength", path)
	if err != nil {
		return "", err
	}
	bounded := from > 0 || to >= 0
	format, _ := s["format"].(string)
	timed := format == "date" || format == "time" || format == "date-time"
	if pattern, ok := s["pattern"].(string); ok {
		if timed {
			return "", &Error{join(path, "format"), "cannot be combined with pattern; leave one of them out"}
		}
		if bounded {
			return "", &Error{
				join(path, "pattern"), "cannot be combined with minLength or maxLength; say the length in the pattern",
			}
		}
		body, err := expression(pattern)
		if err != nil {
			return "", &Error{join(path, "pattern"), err.Error()}
		}
		return b.rule(`"\"" ` + body + ` "\""`)
	}
	switch {
	case bounded && timed:
		return "", &Error{join(path, "format"), "cannot be combined with minLength or maxLength; leave them out"}
	case bounded:
		return b.rule(`"\"" ` + repeat("char", from, to) + ` "\""`)
	case format == "date":
		return b.rule(`"\"" date "\""`)
	case format == "time":
		return b.rule(`"\"" time "\""`)
	case format == "date-time":
		return b.rule(`"\"" date "T" time "\""`)
	}
	return "string", nil
}

func (b *builder) array(s map[string]any, path string, depth int) (string, error) {
	from, to, err := span(s, "minItems", "maxItems", path)
	if err != nil {
		return "", err
	}
	var first []string
	prefix, _ := s["prefixItems"].([]any)
	for i, item := range prefix {
		body, err := b.named(item, fmt.Sprintf("%s[%d]", join(path, "prefixItems"), i), depth)
		if err != nil {
			return "", err
		}
		first = append(first, body)
	}
	rest := "value"
	switch items, there := s["items"]; {
	case there && items == false, !there && len(first) > 0:
		rest = ""
	case there:
		if rest, err = b.named(items, join(path, "items"), depth); err != nil {
			return "", err
		}
	}
	if len(first) > 0 {
		return b.tuple(first, rest, from, to, path)
	}
	switch {
	case to == 0 || rest == "":
		return b.rule(`"[" ws "]"`)
	case from == 0:
		return b.rule(`"[" ws (` + rest + " " + repeat(`(ws "," ws `+rest+`)`, 0, to-1) + `)? ws "]"`)
	}
	return b.rule(`"[" ws ` + rest + " " + repeat(`(ws "," ws `+rest+`)`, from-1, max(to-1, -1)) + ` ws "]"`)
}

// tuple is an array whose first items have schemas of their own. All of them
// are said; bounds that would cut them short are refused.
func (b *builder) tuple(first []string, rest string, from, to int, path string) (string, error) {
	if to >= 0 && to < len(first) || rest == "" && from > len(first) {
		return "", &Error{join(path, "prefixItems"), "does not fit minItems and maxItems"}
	}
	body := strings.Join(first, ` ws "," ws `)
	if rest != "" && (to < 0 || to > len(first)) {
		limit := -1
		if to >= 0 {
			limit = to - len(first)
		}
		body += " " + repeat(`(ws "," ws `+rest+`)`, max(0, from-len(first)), limit)
	}
	return b.rule(`"[" ws ` + body + ` ws "]"`)
}

// named gives a schema as one word, so that it can be repeated.
func (b *builder) named(schema any, path string, depth int) (string, error) {
	body, err := b.visit(schema, path, depth+1)
	if err != nil || !strings.ContainsAny(body, " |") {
		return body, err
	}
	return b.rule(body)
}
