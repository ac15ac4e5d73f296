package generate

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
		if p == nil {
			return errInvalid(field+".properties."+name, "must be a schema")
		}
		if err := p.check(deeper(field, ".properties."+name)); err != nil {
			return err
		}
	}
	for i, alternative := range s.AnyOf {
		if alternative == nil {
			return errInvalid(fmt.Sprintf("%s.anyOf[%d]", field, i), "must be a schema")
		}
		if err := alternative.check(deeper(field, fmt.Sprintf(".anyOf[%d]", i))); err != nil {
			return err
		}
	}
	if s.Type == "ARRAY" && s.Items == nil {
		return errInvalid(field+".items", "an ARRAY needs items")
	}
	return s.Items.check(deeper(field, ".items"))
}

// maxField bounds the field that an error names: its steps are the caller's.
const maxField = 512

// deeper is a field within a field; of a long one the outer steps stay.
func deeper(field, step string) string {
	if len(field)+len(step) > maxField {
		return field
	}
	return field + step
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
	if own != nil && given(standard) {
		return nil, errInvalid(field, "give either the schema or the JSON schema, not both")
	}
	if own != nil {
		if err := own.check(field); err != nil {
			return nil, err
		}
		return own.jsonSchema(), nil
	}
	if !given(standard) {
		return nil, nil
	}
	var out map[string]any
	if err := json.Unmarshal(standard, &out); err != nil {
		return nil, errInvalid(field, "a JSON schema is an object")
	}
	return out, nil
}
