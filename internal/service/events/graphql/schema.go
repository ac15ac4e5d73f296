package graphql

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// Resolver finds the value of a field: nil, a value of a scalar, a list as []any, or what the
// fields of an object are asked about.
type Resolver func(c *Call) (any, error)

// Fields are the resolvers of types by the names of their fields.
type Fields map[string]map[string]Resolver

// Of makes a resolver for objects that are represented by values of one type.
func Of[T any](resolve func(c *Call, source T) (any, error)) Resolver {
	return func(c *Call) (any, error) {
		source, ok := c.Source.(T)
		if !ok {
			return nil, fmt.Errorf("field %s is asked about a %T", c.Name(), c.Source)
		}
		return resolve(c, source)
	}
}

// Options are what a schema is made of; all are needed.
type Options struct {
	// Text is the schema in its own language.
	Text   string
	Fields Fields
	// TypeOf is the object type of a value where the schema leaves it open.
	TypeOf func(value any) string
	// Refused is what an answer says about a refusal, nil for errors of the server.
	Refused func(error) *Error
}

// Schema is what can be asked.
type Schema struct {
	types   *ast.Schema
	fields  Fields
	typeOf  func(any) string
	refused func(error) *Error
}

// directives are those that the text of a schema may use.
const directives = `
directive @none on FIELD_DEFINITION
directive @always(value: String!) on FIELD_DEFINITION
directive @absent on OBJECT
`

// New checks that every field of the text has one answer, and no more.
func New(o Options) (*Schema, error) {
	types, err := gqlparser.LoadSchema(
		&ast.Source{Name: "directives", Input: directives, BuiltIn: true}, &ast.Source{Name: "schema", Input: o.Text})
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	s := &Schema{types: types, fields: o.Fields, typeOf: o.TypeOf, refused: o.Refused}
	return s, s.bind()
}

// bind adds the resolvers that all schemas share and looks for fields without one.
func (s *Schema) bind() error {
	bound := introspection(s.types)
	var faults []string
	for name, fields := range s.fields {
		def := s.types.Types[name]
		for field := range fields {
			if def == nil || def.Fields.ForName(field) == nil {
				faults = append(faults, name+"."+field+" is resolved and not in the schema")
			}
		}
	}
	for name, def := range s.types.Types {
		if def.Kind != ast.Object || strings.HasPrefix(name, "__") || def.Directives.ForName("absent") != nil {
			continue
		}
		bound[name] = map[string]Resolver{}
		for _, f := range def.Fields {
			resolve, fault := s.resolver(def, f)
			if bound[name][f.Name] = resolve; fault != "" {
				faults = append(faults, name+"."+f.Name+" "+fault)
			}
		}
	}
	if len(faults) > 0 {
		sort.Strings(faults)
		return errors.New(strings.Join(faults, "; "))
	}
	bound[s.types.Query.Name]["__schema"] = func(*Call) (any, error) { return s.types, nil }
	bound[s.types.Query.Name]["__type"] = func(c *Call) (any, error) { return namedType(s.types, c.Text("name")), nil }
	s.fields = bound
	return nil
}

// resolver is what answers a field.
func (s *Schema) resolver(def *ast.Definition, f *ast.FieldDefinition) (resolve Resolver, fault string) {
	own := s.fields[def.Name][f.Name]
	none, always := f.Directives.ForName("none"), f.Directives.ForName("always")
	switch {
	case strings.HasPrefix(f.Name, "__"):
		return nil, ""
	case none != nil && own == nil:
		return s.nothing(f.Type), ""
	case always != nil && own == nil:
		return fixed(f.Type, always.Arguments.ForName("value").Value.Raw)
	case own != nil && none == nil && always == nil:
		return own, ""
	case own == nil && isConnection(def.Name):
		return connectionField(f.Name)
	case own == nil && strings.HasSuffix(def.Name, "Edge"):
		return edgeField(f.Name)
	case own == nil:
		return nil, "has no resolver"
	}
	return nil, "has a resolver and a fixed value"
}

// nothing answers with null, an empty list or an empty connection, as the type has it.
func (s *Schema) nothing(t *ast.Type) Resolver {
	return func(*Call) (any, error) {
		switch {
		case t.Elem != nil:
			return []any{}, nil
		case isConnection(t.NamedType):
			return &Connection{}, nil
		}
		return nil, nil
	}
}

// fixed answers with what the schema says.
func fixed(t *ast.Type, text string) (resolve Resolver, fault string) {
	var value any = text
	switch t.NamedType {
	case "Boolean":
		value = text == "true"
	case "Int":
		n := int64(0)
		if _, err := fmt.Sscan(text, &n); err != nil {
			return nil, "has a fixed value that is not a number"
		}
		value = n
	}
	return func(*Call) (any, error) { return value, nil }, ""
}
