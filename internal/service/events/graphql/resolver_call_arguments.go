package graphql

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"
)

// Call is one field of one object that is asked for.
type Call struct {
	Context context.Context
	// Root is what the operation was run with, Source what the field belongs to.
	Root, Source any

	args  map[string]any
	field collected
	run   *run
}

// Name is that of the field.
func (c *Call) Name() string { return c.field.first().Name }

// Cost is what the operation takes from the limit, Nodes how many entries it can ask for.
func (c *Call) Cost() (cost, nodes int64) { return c.run.operation.Cost, c.run.operation.Nodes }

// Spend takes steps for work that the field causes beside itself.
func (c *Call) Spend(steps int64) error { return c.run.steps.Take(steps) }

// Selects reports whether one of some fields of the answer is asked for.
func (c *Call) Selects(names ...string) bool {
	for _, f := range c.field.fields {
		if c.run.operation.selects(f.SelectionSet, names...) {
			return true
		}
	}
	return false
}

// Has reports whether an argument is given, and not null.
func (c *Call) Has(name string) bool { return c.args[name] != nil }

// Text is an argument that is text, an enumeration's word or an id; empty without one.
func (c *Call) Text(name string) string { return text(c.args[name]) }

// Int is an argument that is a number.
func (c *Call) Int(name string) (int64, bool) { return whole(c.args[name]) }

// Input is an argument that is an object, empty without one.
func (c *Call) Input(name string) Input {
	in, _ := c.args[name].(map[string]any)
	return Input(in)
}

// Texts is an argument that is a list of texts, nil without one.
func (c *Call) Texts(name string) []string { return texts(c.args[name]) }

// Bool is an argument that is true or false, nil without one.
func (c *Call) Bool(name string) *bool { return Input(c.args).Bool(name) }

// Input is an object among arguments.
type Input map[string]any

// Has reports whether a member is given, and not null.
func (in Input) Has(name string) bool { return in[name] != nil }

// Text is a member that is text, empty without one.
func (in Input) Text(name string) string { return text(in[name]) }

// OptionalText is a member that is text, nil without one.
func (in Input) OptionalText(name string) *string {
	if in[name] == nil {
		return nil
	}
	value := text(in[name])
	return &value
}

// Texts is a member that is a list of texts, nil without one.
func (in Input) Texts(name string) []string { return texts(in[name]) }

// Bool is a member that is true or false, nil without one.
func (in Input) Bool(name string) *bool {
	value, ok := in[name].(bool)
	if !ok {
		return nil
	}
	return &value
}

func text(value any) string {
	t, _ := value.(string)
	return t
}

// texts reads a list; one value stands for a list of it.
func texts(value any) []string {
	switch v := value.(type) {
	case []string:
		return v
	case string:
		return []string{v}
	case []any:
		out := []string{}
		for _, one := range v {
			out = append(out, text(one))
		}
		return out
	}
	return nil
}

// arguments are the values of a field's arguments. What is given as null is nil.
func (o *Operation) arguments(f *ast.Field) map[string]any {
	out := map[string]any{}
	for _, def := range f.Definition.Arguments {
		value := def.DefaultValue
		if given := f.Arguments.ForName(def.Name); given != nil {
			value = given.Value
			if value.Kind == ast.Variable {
				v, ok := o.variables[value.Raw]
				if ok {
					out[def.Name] = v
					continue
				}
				value = def.DefaultValue
			}
		}
		if value == nil {
			continue
		}
		// A number that does not fit is as good as none: what needs it says so.
		if v, err := value.Value(o.variables); err == nil {
			out[def.Name] = v
		}
	}
	return out
}
