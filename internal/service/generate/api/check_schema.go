package api

import (
	"fmt"
	"strings"
)

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
