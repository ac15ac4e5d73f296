package grammar

import (
	"fmt"
	"maps"
	"slices"
)

// merge joins schemas that all apply: s without word, and the others.
func (b *builder) merge(s map[string]any, word string, others []any, path string) (map[string]any, error) {
	out := map[string]any{}
	if err := b.step(len(s)+words(s), path); err != nil {
		return nil, err
	}
	for k, v := range s {
		if k != word {
			out[k] = v
		}
	}
	for _, o := range others {
		if o == true {
			continue
		}
		other, ok := o.(map[string]any)
		if !ok {
			return nil, &Error{path, "is not a schema"}
		}
		if ref, ok := other["$ref"].(string); ok && constrains(out) {
			target, found := b.resolve(ref)
			if other, ok = target.(map[string]any); !found || !ok {
				return nil, &Error{path, fmt.Sprintf("the reference %q leads nowhere in this schema", ref)}
			}
		}
		if err := b.step(len(other)+words(other), path); err != nil {
			return nil, err
		}
		for _, k := range slices.Sorted(maps.Keys(other)) {
			if err := add(out, k, other[k], path); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// words is how many members and values stand in the lists of a schema, which are
// copied when it is joined with another.
func words(s map[string]any) (n int) {
	for _, v := range s {
		switch v := v.(type) {
		case map[string]any:
			n += len(v)
		case []any:
			n += len(v)
		}
	}
	return n
}

// constrains reports whether a schema holds more than notes for its readers.
func constrains(s map[string]any) bool {
	for k := range s {
		if !annotation(k) && k != "$defs" && k != "definitions" {
			return true
		}
	}
	return false
}

// annotation reports whether a word of a schema constrains nothing.
func annotation(word string) bool {
	return slices.Contains([]string{"title", "description", "default", "examples", "example", "$id", "$schema"}, word)
}

// add puts a word into a schema that may have it already.
func add(out map[string]any, word string, v any, path string) error {
	have, there := out[word]
	if !there || annotation(word) {
		out[word] = v
		return nil
	}
	switch word {
	case "properties", "$defs", "definitions":
		mine, ok1 := have.(map[string]any)
		theirs, ok2 := v.(map[string]any)
		if !ok1 || !ok2 {
			return &Error{join(path, word), "is not an object"}
		}
		both, err := joinProperties(word, mine, theirs, path)
		out[word] = both
		return err
	case "required", "propertyOrdering":
		mine, _ := have.([]any)
		theirs, _ := v.([]any)
		out[word] = append(append([]any{}, mine...), theirs...)
		return nil
	}
	if a, b := mustJSON(have), mustJSON(v); a != b {
		return &Error{join(path, word), "is given twice with different values, which a model cannot be held to"}
	}
	return nil
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

// sharedProperty is the schema of a property that two schemas have: both hold.
func sharedProperty(a, b any) any {
	if mustJSON(a) == mustJSON(b) {
		return a
	}
	return map[string]any{"allOf": []any{a, b}}
}
