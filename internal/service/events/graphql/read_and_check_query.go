package graphql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Request is a query as it is sent.
type Request struct {
	Query         string
	OperationName string
	Variables     map[string]any
}

// Operation is a query that was checked and can be run.
type Operation struct {
	schema    *Schema
	document  *ast.QueryDocument
	operation *ast.OperationDefinition
	variables map[string]any
	// Nodes is how many entries the query can ask for, Cost what it is worth of the limit.
	Nodes, Cost int64
}

// Changes are the names of the fields that change something, in order.
func (o *Operation) Changes() []string {
	var out []string
	if o.operation.Operation != ast.Mutation {
		return nil
	}
	for _, f := range o.collect(o.schema.types.Mutation, o.operation.SelectionSet) {
		out = append(out, f.first().Name)
	}
	return out
}

// Prepare reads and checks a query.
func (s *Schema) Prepare(in Request) (*Operation, []*Error) {
	if len(in.Query) > maxLength {
		return nil, resources("The query has more than %d bytes.", maxLength)
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: in.Query}, maxTokens)
	if err != nil {
		faults := fromOne(err)
		if strings.Contains(err.Error(), "token limit") { // the parser has no other sign for it
			faults[0].Type = TypeMaxResources
		}
		return nil, faults
	}
	if faults := measure(document); faults != nil {
		return nil, faults
	}
	faults := slices.DeleteFunc(validator.ValidateWithRules(s.types, document, checks()), onlyShapes)
	if len(faults) > 0 {
		return nil, fromParser(faults)
	}
	o := &Operation{schema: s, document: document}
	if o.operation, err = chosen(document, in.OperationName); err != nil {
		return nil, fromOne(err)
	}
	if o.operation.Operation == ast.Subscription {
		return nil, []*Error{{Message: "Subscriptions are not offered."}}
	}
	if o.variables, err = validator.VariableValues(s.types, o.operation, in.Variables); err != nil {
		return nil, fromOne(err)
	}
	return o, o.price()
}

// onlyShapes reports whether the one fault is that fields of objects of different types, which stand
// under one name, have different types themselves. The public service does not mind, and its
// clients ask so for the state of what is an issue or a pull request.
func onlyShapes(e *gqlerror.Error) bool {
	return e.Rule == "OverlappingFieldsCanBeMerged" && strings.Contains(e.Message, "return conflicting types") &&
		!strings.Contains(e.Message, "different fields") && !strings.Contains(e.Message, "differing arguments")
}

// chosen is the operation that the request names, or the only one.
func chosen(document *ast.QueryDocument, name string) (*ast.OperationDefinition, error) {
	switch {
	case len(document.Operations) == 0:
		return nil, gqlerror.Errorf("The document does not contain any operations")
	case name != "":
		if o := document.Operations.ForName(name); o != nil {
			return o, nil
		}
		return nil, gqlerror.Errorf("No operation named %q", clip(name))
	case len(document.Operations) > 1:
		return nil, gqlerror.Errorf("An operation name is required")
	}
	return document.Operations[0], nil
}

// checks are the rules of the language. A field that is not there is said in the words that
// clients look for.
func checks() *rules.Rules {
	out := rules.NewDefaultRules()
	// Guesses of what was meant take long for long names.
	for name, rule := range map[string]core.Rule{
		"KnownArgumentNames":  rules.KnownArgumentNamesRuleWithoutSuggestions,
		"KnownTypeNames":      rules.KnownTypeNamesRuleWithoutSuggestions,
		"ScalarLeafs":         rules.ScalarLeafsRuleWithoutSuggestions,
		"ValuesOfCorrectType": rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		out.ReplaceRule(name, rule.RuleFunc)
	}
	out.ReplaceRule("FieldsOnCorrectType", func(observers *core.Events, add core.AddErrFunc) {
		observers.OnField(func(_ *core.Walker, f *ast.Field) {
			if f.ObjectDefinition == nil || f.Definition != nil {
				return
			}
			kind := f.ObjectDefinition.Name
			add(core.Message("Field '%s' doesn't exist on type '%s'", f.Name, kind), core.At(f.Position),
				func(e *gqlerror.Error) {
					e.Extensions = map[string]any{"code": "undefinedField", "typeName": kind, "fieldName": f.Name}
				})
		})
	})
	return out
}

func resources(format string, args ...any) []*Error {
	return []*Error{{Type: TypeMaxResources, Message: fmt.Sprintf(format, args...)}}
}
