package graphql

import (
	"context"
	"errors"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	maxSteps = 1_000_000
	// maxText is how long an answer is, about.
	maxText = 8 << 20
	// aroundMember and aroundError are what stands in an answer beside names and texts.
	aroundMember, aroundError = 8, 200
)

// Response is what a query that ran is answered with.
type Response struct {
	Data   any      `json:"data"`
	Errors []*Error `json:"errors,omitempty"`
}

// run is one operation while it runs.
type run struct {
	ctx       context.Context
	root      any
	operation *Operation
	steps     *budget.Steps
	text      int
	errors    []*Error
}

// Run answers an operation; root is what the fields of the query itself are asked about. Its
// error is one of the server, not of the query.
func (o *Operation) Run(ctx context.Context, root any) (Response, error) {
	x := &run{ctx: ctx, root: root, operation: o, steps: budget.NewSteps(ctx, maxSteps)}
	def := o.schema.types.Query
	if o.operation.Operation == ast.Mutation {
		def = o.schema.types.Mutation
	}
	data, ok, err := x.object(def, root, o.collect(def, o.operation.SelectionSet), nil)
	var tooMany *budget.StepsError
	if errors.As(err, &tooMany) || errors.Is(err, errTooLong) {
		return Response{Errors: append(x.errors, resources("The answer takes more work than one query may cause; "+
			"ask for less.")...)}, nil
	}
	if err != nil {
		return Response{}, err
	}
	if !ok {
		return Response{Errors: x.errors}, nil
	}
	return Response{Data: data, Errors: x.errors}, nil
}

// errTooLong ends an operation whose answer has too much text.
var errTooLong = errors.New("the answer is too long")

// collected are the fields of a selection that stand under one name in the answer.
type collected struct {
	key    string
	fields []*ast.Field
}

func (c collected) first() *ast.Field { return c.fields[0] }

// selection are the fields below.
func (c collected) selection() ast.SelectionSet {
	if len(c.fields) == 1 {
		return c.fields[0].SelectionSet
	}
	var all ast.SelectionSet
	for _, f := range c.fields {
		all = append(all, f.SelectionSet...)
	}
	return all
}

// collect are the fields that a selection has for objects of one type.
func (o *Operation) collect(def *ast.Definition, set ast.SelectionSet) []collected {
	var out []collected
	o.collectInto(&out, def, set)
	return out
}

func (o *Operation) collectInto(out *[]collected, def *ast.Definition, set ast.SelectionSet) {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			if o.included(one.Directives) {
				addField(out, one)
			}
		case *ast.InlineFragment:
			if o.included(one.Directives) && o.applies(def, one.TypeCondition) {
				o.collectInto(out, def, one.SelectionSet)
			}
		case *ast.FragmentSpread:
			if o.included(one.Directives) && o.applies(def, one.Definition.TypeCondition) {
				o.collectInto(out, def, one.Definition.SelectionSet)
			}
		}
	}
}

func addField(out *[]collected, f *ast.Field) {
	for i := range *out {
		if (*out)[i].key == f.Alias {
			(*out)[i].fields = append((*out)[i].fields, f)
			return
		}
	}
	*out = append(*out, collected{f.Alias, []*ast.Field{f}})
}

// included heeds @skip and @include.
func (o *Operation) included(list ast.DirectiveList) bool {
	condition := func(name string, fallback bool) bool {
		d := list.ForName(name)
		if d == nil {
			return fallback
		}
		value, err := d.Arguments.ForName("if").Value.Value(o.variables)
		is, ok := value.(bool)
		return err == nil && ok && is
	}
	return condition("include", true) && !condition("skip", false)
}

// applies reports whether a fragment is about objects of a type.
func (o *Operation) applies(def *ast.Definition, condition string) bool {
	if condition == "" || condition == def.Name {
		return true
	}
	for _, possible := range o.schema.types.PossibleTypes[condition] {
		if possible.Name == def.Name {
			return true
		}
	}
	return false
}

// object answers the fields of an object. It is not ok when one that may not be null failed.
func (x *run) object(def *ast.Definition, source any, fields []collected, at *path) (object, bool, error) {
	out := object{}
	for _, f := range fields {
		value, ok, err := x.field(def, source, f, &path{at, f.key})
		if err != nil || !ok {
			return nil, false, err
		}
		out = append(out, member{f.key, value})
	}
	return out, true, nil
}

// field answers one field.
func (x *run) field(def *ast.Definition, source any, f collected, at *path) (any, bool, error) {
	if err := x.steps.Take(1); err != nil {
		return nil, false, err
	}
	if x.text += len(f.key) + aroundMember; x.text > maxText {
		return nil, false, errTooLong
	}
	first := f.first()
	if first.Name == "__typename" {
		return def.Name, true, nil
	}
	resolve := x.operation.schema.fields[def.Name][first.Name]
	if resolve == nil {
		return nil, false, fmt.Errorf("field %s.%s has no resolver", def.Name, first.Name)
	}
	value, err := resolve(&Call{
		Context: x.ctx, Root: x.root, Source: source, args: x.operation.arguments(first), field: f, run: x,
	})
	if err != nil {
		if fault := x.refusal(err); fault != nil {
			x.report(fault, first, at)
			return nil, !first.Definition.Type.NonNull, nil
		}
		return nil, false, fmt.Errorf("field %s.%s: %w", def.Name, first.Name, err)
	}
	return x.complete(first.Definition.Type, value, f, at)
}

// refusal is what the answer says about an error, nil when it is none of the query's.
func (x *run) refusal(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		copied := *own
		return &copied
	}
	return x.operation.schema.refused(err)
}

func (x *run) report(fault *Error, f *ast.Field, at *path) {
	x.text += aroundError + len(fault.Message)
	fault.Path, fault.Locations = at.list(), locations(f)
	x.errors = append(x.errors, fault)
}

// complete brings a value into the form that its type has in an answer.
func (x *run) complete(t *ast.Type, value any, f collected, at *path) (any, bool, error) {
	if isNil(value) {
		if t.NonNull {
			x.report(&Error{Message: "Cannot return null for a field that is never null"}, f.first(), at)
		}
		return nil, !t.NonNull, nil
	}
	if t.Elem != nil {
		return x.list(t, value, f, at)
	}
	def := x.operation.schema.types.Types[t.NamedType]
	if def.IsLeafType() {
		leaf, err := x.leaf(value)
		return leaf, true, err
	}
	if def.IsAbstractType() {
		name := x.operation.schema.typeOf(value)
		if def = x.operation.schema.types.Types[name]; def == nil {
			return nil, false, fmt.Errorf("%T is of no type of the schema", value)
		}
	}
	out, ok, err := x.object(def, value, x.operation.collect(def, f.selection()), at)
	if err != nil || !ok {
		return nil, !t.NonNull, err
	}
	return out, true, nil
}

func (x *run) list(t *ast.Type, value any, f collected, at *path) (any, bool, error) {
	all, ok := value.([]any)
	if !ok {
		return nil, false, fmt.Errorf("%T is not a list", value)
	}
	out := make([]any, 0, len(all))
	for i, one := range all {
		v, ok, err := x.complete(t.Elem, one, f, &path{at, i})
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return nil, !t.NonNull, nil
		}
		out = append(out, v)
	}
	return out, true, nil
}

// path leads to a field of the answer.
type path struct {
	parent *path
	step   any
}

func (p *path) list() []any {
	if p == nil {
		return nil
	}
	return append(p.parent.list(), p.step)
}
