package api

import (
	"encoding/json"
	"strings"
)

// toJSONSchema rewrites a schema of this API, decoded from its JSON, in the words
// of JSON Schema.
func toJSONSchema(s map[string]any) map[string]any {
	kind, _ := s["type"].(string)
	switch {
	case kind == "" || kind == "TYPE_UNSPECIFIED":
		delete(s, "type")
	case s["nullable"] == true:
		s["type"] = []any{strings.ToLower(kind), "null"}
	default:
		s["type"] = strings.ToLower(kind)
	}
	if s["format"] == "enum" {
		delete(s, "format")
	}
	for _, word := range []string{"nullable", "example", "default"} {
		delete(s, word)
	}
	if items, ok := s["items"].(map[string]any); ok {
		toJSONSchema(items)
	}
	properties, _ := s["properties"].(map[string]any)
	for _, p := range properties {
		toJSONSchema(p.(map[string]any))
	}
	alternatives, _ := s["anyOf"].([]any)
	for _, a := range alternatives {
		toJSONSchema(a.(map[string]any))
	}
	return s
}

// schemaOf is whichever of the two spellings of a schema is there, as JSON Schema;
// nil for none.
func schemaOf(field string, own *Schema, standard json.RawMessage) (schema map[string]any, err error) {
	if own != nil && Given(standard) {
		return nil, ErrInvalidField(field, "give either the schema or the JSON schema, not both")
	}
	if own == nil {
		if !Given(standard) {
			return nil, nil
		}
		if err := json.Unmarshal(standard, &schema); err != nil {
			return nil, ErrInvalidField(field, "a JSON schema is an object")
		}
		return schema, nil
	}
	if err := own.check(field); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(own)
	if err == nil {
		err = json.Unmarshal(raw, &schema)
	}
	if err != nil {
		return nil, ErrInvalidField(field, "is not JSON")
	}
	return toJSONSchema(schema), nil
}
