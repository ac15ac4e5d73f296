package grammar

import (
	"maps"
	"math"
	"slices"
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

// refused are words that would constrain and cannot be followed.
func refused() []string {
	return []string{
		"not", "if", "then", "else", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas",
		"dependencies", "unevaluatedProperties", "unevaluatedItems", "uniqueItems", "contains", "minContains",
		"maxContains", "multipleOf", "$dynamicRef", "contentEncoding", "contentMediaType",
	}
}
