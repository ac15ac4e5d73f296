package api

import (
	"encoding/json"
	"fmt"
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
	t, err := schemaTypes.Resolve(field+".type", Enum(strings.ToUpper(string(s.Type))))
	if err != nil {
		return err
	}
	s.Type = t
	for _, name := range s.Required {
		if len(s.Properties) > 0 && s.Properties[name] == nil {
			return ErrInvalidField(field+".required", "there is no property %q", name)
		}
	}
	for name, p := range s.Properties {
		if p == nil {
			return ErrInvalidField(field+".properties."+name, "must be a schema")
		}
		if err := p.check(subfield(field, ".properties."+name)); err != nil {
			return err
		}
	}
	for i, alternative := range s.AnyOf {
		if alternative == nil {
			return ErrInvalidField(fmt.Sprintf("%s.anyOf[%d]", field, i), "must be a schema")
		}
		if err := alternative.check(subfield(field, fmt.Sprintf(".anyOf[%d]", i))); err != nil {
			return err
		}
	}
	if s.Type == "ARRAY" && s.Items == nil {
		return ErrInvalidField(field+".items", "an ARRAY needs items")
	}
	return s.Items.check(subfield(field, ".items"))
}

// maxField bounds the field that an error names: its steps are the caller's.
const maxField = 512

// subfield is a field within a field; of a long one the outer steps stay.
func subfield(field, step string) string {
	if len(field)+len(step) > maxField {
		return field
	}
	return field + step
}

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
