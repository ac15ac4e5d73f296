package graphql

import (
	"sort"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// typeRef is a type as it is used: a named one, or a list or a required one of another.
type typeRef struct {
	types *ast.Schema
	def   *ast.Definition // of a named type that is not required
	kind  string
	of    *typeRef
}

// namedType is a type by its name, nil when there is none.
func namedType(types *ast.Schema, name string) *typeRef {
	def := types.Types[name]
	if def == nil {
		return nil
	}
	return &typeRef{types: types, def: def, kind: string(def.Kind)}
}

func refOf(types *ast.Schema, t *ast.Type) *typeRef {
	switch {
	case t.NonNull:
		plain := *t
		plain.NonNull = false
		return &typeRef{types: types, kind: "NON_NULL", of: refOf(types, &plain)}
	case t.Elem != nil:
		return &typeRef{types: types, kind: "LIST", of: refOf(types, t.Elem)}
	}
	return namedType(types, t.NamedType)
}

// described is a part of a schema that others use, with the schema.
type described[T any] struct {
	types *ast.Schema
	part  T
}

func describe[T any](types *ast.Schema, parts []T) []any {
	out := make([]any, 0, len(parts))
	for _, p := range parts {
		out = append(out, described[T]{types, p})
	}
	return out
}

// introspection are the resolvers of what a schema says about itself.
func introspection(types *ast.Schema) Fields {
	return Fields{
		"__Schema": {
			"description": null, "subscriptionType": null,
			"types":     func(*Call) (any, error) { return allTypes(types), nil },
			"queryType": func(*Call) (any, error) { return namedType(types, types.Query.Name), nil },
			"mutationType": func(*Call) (any, error) {
				if types.Mutation == nil {
					return nil, nil
				}
				return namedType(types, types.Mutation.Name), nil
			},
			"directives": func(*Call) (any, error) { return executable(types), nil },
		},
		"__Type": typeFields(), "__Field": fieldFields(), "__InputValue": inputFields(),
		"__EnumValue": {
			"name":         Of(func(_ *Call, v *ast.EnumValueDefinition) (any, error) { return v.Name, nil }),
			"description":  Of(func(_ *Call, v *ast.EnumValueDefinition) (any, error) { return orNull(v.Description), nil }),
			"isDeprecated": no, "deprecationReason": null,
		},
		"__Directive": directiveFields(),
	}
}

func null(*Call) (any, error) { return nil, nil }

func no(*Call) (any, error) { return false, nil }

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func allTypes(types *ast.Schema) []any {
	names := make([]string, 0, len(types.Types))
	for name := range types.Types {
		names = append(names, name)
	}
	sort.Strings(names)
	out := make([]any, 0, len(names))
	for _, name := range names {
		out = append(out, namedType(types, name))
	}
	return out
}

// executable are the directives of queries; those of the schema's text are its own matter.
func executable(types *ast.Schema) []any {
	var list []*ast.DirectiveDefinition
	for _, name := range []string{"include", "skip"} {
		if d := types.Directives[name]; d != nil {
			list = append(list, d)
		}
	}
	return describe(types, list)
}

func typeFields() map[string]Resolver {
	return map[string]Resolver{
		"kind":           Of(func(_ *Call, t *typeRef) (any, error) { return t.kind, nil }),
		"name":           ofDefinition(func(d *ast.Definition) any { return d.Name }),
		"description":    ofDefinition(func(d *ast.Definition) any { return orNull(d.Description) }),
		"specifiedByURL": null, "isOneOf": no,
		"ofType": Of(func(_ *Call, t *typeRef) (any, error) { return t.of, nil }),
		"fields": Of(func(_ *Call, t *typeRef) (any, error) {
			if t.def == nil || t.def.Kind != ast.Object && t.def.Kind != ast.Interface {
				return nil, nil
			}
			return describe(t.types, visible(t.def.Fields)), nil
		}),
		"inputFields": Of(func(_ *Call, t *typeRef) (any, error) {
			if t.def == nil || t.def.Kind != ast.InputObject {
				return nil, nil
			}
			return describe(t.types, t.def.Fields), nil
		}),
		"enumValues": Of(func(_ *Call, t *typeRef) (any, error) {
			if t.def == nil || t.def.Kind != ast.Enum {
				return nil, nil
			}
			out := []any{}
			for _, v := range t.def.EnumValues {
				out = append(out, v)
			}
			return out, nil
		}),
		"interfaces": Of(func(_ *Call, t *typeRef) (any, error) {
			if t.def == nil || t.def.Kind != ast.Object && t.def.Kind != ast.Interface {
				return nil, nil
			}
			out := []any{}
			for _, name := range t.def.Interfaces {
				out = append(out, namedType(t.types, name))
			}
			return out, nil
		}),
		"possibleTypes": Of(func(_ *Call, t *typeRef) (any, error) {
			if t.def == nil || !t.def.IsAbstractType() {
				return nil, nil
			}
			out := []any{}
			for _, d := range t.types.PossibleTypes[t.def.Name] {
				out = append(out, namedType(t.types, d.Name))
			}
			return out, nil
		}),
	}
}

// ofDefinition answers about a named type; others have none of it.
func ofDefinition(value func(*ast.Definition) any) Resolver {
	return Of(func(_ *Call, t *typeRef) (any, error) {
		if t.def == nil {
			return nil, nil
		}
		return value(t.def), nil
	})
}

// visible leaves out the fields that ask about the schema itself.
func visible(list ast.FieldList) []*ast.FieldDefinition {
	var out []*ast.FieldDefinition
	for _, f := range list {
		if !strings.HasPrefix(f.Name, "__") {
			out = append(out, f)
		}
	}
	return out
}

func fieldFields() map[string]Resolver {
	type field = described[*ast.FieldDefinition]
	return map[string]Resolver{
		"name":         Of(func(_ *Call, f field) (any, error) { return f.part.Name, nil }),
		"description":  Of(func(_ *Call, f field) (any, error) { return orNull(f.part.Description), nil }),
		"args":         Of(func(_ *Call, f field) (any, error) { return describe(f.types, f.part.Arguments), nil }),
		"type":         Of(func(_ *Call, f field) (any, error) { return refOf(f.types, f.part.Type), nil }),
		"isDeprecated": no, "deprecationReason": null,
	}
}

// inputFields answer about arguments and about members of input objects.
func inputFields() map[string]Resolver {
	value := func(ask func(types *ast.Schema, name, description string, t *ast.Type, fallback *ast.Value) any) Resolver {
		return func(c *Call) (any, error) {
			switch v := c.Source.(type) {
			case described[*ast.ArgumentDefinition]:
				return ask(v.types, v.part.Name, v.part.Description, v.part.Type, v.part.DefaultValue), nil
			case described[*ast.FieldDefinition]:
				return ask(v.types, v.part.Name, v.part.Description, v.part.Type, v.part.DefaultValue), nil
			}
			return nil, nil
		}
	}
	return map[string]Resolver{
		"name":        value(func(_ *ast.Schema, name, _ string, _ *ast.Type, _ *ast.Value) any { return name }),
		"description": value(func(_ *ast.Schema, _, text string, _ *ast.Type, _ *ast.Value) any { return orNull(text) }),
		"type":        value(func(types *ast.Schema, _, _ string, t *ast.Type, _ *ast.Value) any { return refOf(types, t) }),
		"defaultValue": value(func(_ *ast.Schema, _, _ string, _ *ast.Type, v *ast.Value) any {
			if v == nil {
				return nil
			}
			return v.String()
		}),
		"isDeprecated": no, "deprecationReason": null,
	}
}

func directiveFields() map[string]Resolver {
	type directive = described[*ast.DirectiveDefinition]
	return map[string]Resolver{
		"name":         Of(func(_ *Call, d directive) (any, error) { return d.part.Name, nil }),
		"description":  Of(func(_ *Call, d directive) (any, error) { return orNull(d.part.Description), nil }),
		"isRepeatable": Of(func(_ *Call, d directive) (any, error) { return d.part.IsRepeatable, nil }),
		"args":         Of(func(_ *Call, d directive) (any, error) { return describe(d.types, d.part.Arguments), nil }),
		"locations": Of(func(_ *Call, d directive) (any, error) {
			out := []any{}
			for _, l := range d.part.Locations {
				out = append(out, string(l))
			}
			return out, nil
		}),
	}
}
