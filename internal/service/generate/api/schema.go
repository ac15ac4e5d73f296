package api

import (
	"encoding/json"
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
