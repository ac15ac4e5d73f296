package graphql

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	maxLength = 32 << 10 // the longest that clients are known to send have a quarter of it
	maxTokens = 6000
	maxDepth  = 25
	maxFields = 1500
	// maxNodes is the public service's.
	maxNodes = 500_000
	maxPage  = 100
	// perPoint is how many lists one point of the limit pays for.
	perPoint = 100
)

// meter counts what a document holds once fragments are put in their places.
type meter struct {
	document *ast.QueryDocument
	fields   int
	inside   map[string]bool
}

// measure refuses documents that would be long to check: it looks before the rules do.
func measure(document *ast.QueryDocument) []*Error {
	m := &meter{document: document, inside: map[string]bool{}}
	for _, o := range document.Operations {
		if faults := m.walk(o.SelectionSet, 1); faults != nil {
			return faults
		}
	}
	for _, f := range document.Fragments {
		if faults := m.walk(f.SelectionSet, 1); faults != nil {
			return faults
		}
	}
	return nil
}

func (m *meter) walk(set ast.SelectionSet, depth int) []*Error {
	if depth > maxDepth {
		return resources("The query is nested deeper than %d fields.", maxDepth)
	}
	for _, one := range set {
		if m.fields++; m.fields > maxFields {
			return resources("The query names more than %d fields.", maxFields)
		}
		var faults []*Error
		switch one := one.(type) {
		case *ast.Field:
			faults = m.walk(one.SelectionSet, depth+1)
		case *ast.InlineFragment:
			faults = m.walk(one.SelectionSet, depth+1)
		case *ast.FragmentSpread:
			faults = m.spread(one.Name, depth)
		}
		if faults != nil {
			return faults
		}
	}
	return nil
}

// spread looks into a fragment. One that is inside itself, or is not there, is left to the rules.
func (m *meter) spread(name string, depth int) []*Error {
	fragment := m.document.Fragments.ForName(name)
	if fragment == nil || m.inside[name] {
		return nil
	}
	m.inside[name] = true
	defer delete(m.inside, name)
	return m.walk(fragment.SelectionSet, depth+1)
}

// price computes Nodes and Cost.
func (o *Operation) price() []*Error {
	var lists int64
	if fault := o.priceOf(o.operation.SelectionSet, 1, &lists); fault != nil {
		return []*Error{fault}
	}
	o.Cost = max(1, (lists+perPoint-1)/perPoint)
	return nil
}

// priceOf counts the nodes below a selection that is made times times.
func (o *Operation) priceOf(set ast.SelectionSet, times int64, lists *int64) *Error {
	for _, one := range set {
		var fault *Error
		switch one := one.(type) {
		case *ast.InlineFragment:
			fault = o.priceOf(one.SelectionSet, times, lists)
		case *ast.FragmentSpread:
			fault = o.priceOf(one.Definition.SelectionSet, times, lists)
		case *ast.Field:
			fault = o.priceOfField(one, times, lists)
		}
		if fault != nil {
			return fault
		}
	}
	return nil
}

func (o *Operation) priceOfField(f *ast.Field, times int64, lists *int64) *Error {
	if f.Definition == nil || !isConnection(f.Definition.Type.Name()) {
		return o.priceOf(f.SelectionSet, times, lists)
	}
	size, fault := o.pageSize(f)
	if fault != nil {
		return fault
	}
	*lists += times
	if size > 0 {
		times *= size
		o.Nodes += times
	}
	if o.Nodes > maxNodes {
		return at(f, TypeMaxNodes, "By the time this query reaches the `%s` connection, it asks for up to %d nodes, "+
			"more than the limit of %d.", f.Name, o.Nodes, maxNodes)
	}
	return o.priceOf(f.SelectionSet, times, lists)
}

// pageSize is how many entries a connection asks for; zero when it is only counted.
func (o *Operation) pageSize(f *ast.Field) (int64, *Error) {
	args := o.arguments(f)
	var size int64
	given := false
	for _, name := range []string{"first", "last"} {
		n, ok := whole(args[name])
		if !ok {
			continue
		}
		given = true
		if n < 0 {
			return 0, at(f, TypeExcessiveBounds, "`%s` on the `%s` connection cannot be less than zero.", name, f.Name)
		}
		if n > maxPage {
			return 0, at(f, TypeExcessiveBounds, "Requesting %d records on the `%s` connection exceeds the `%s` limit "+
				"of %d records.", n, f.Name, name, maxPage)
		}
		size = max(size, n)
	}
	if o.selects(f.SelectionSet, "nodes", "edges", "pageInfo") {
		if !given || size == 0 {
			return 0, at(f, TypeMissingBounds, "You must provide a `first` or `last` value from 1 to %d for the `%s` "+
				"connection.", maxPage, f.Name)
		}
		return size, nil
	}
	return 0, nil
}

func at(f *ast.Field, kind, format string, args ...any) *Error {
	return &Error{Type: kind, Message: fmt.Sprintf(format, args...), Locations: locations(f)}
}

func locations(f *ast.Field) []Location {
	if f.Position == nil {
		return nil
	}
	return []Location{{f.Position.Line, f.Position.Column}}
}

// whole reads a number as the parser and JSON have it.
func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case float64:
		return int64(n), n == float64(int64(n))
	}
	return 0, false
}

// selects reports whether a selection names one of some fields.
func (o *Operation) selects(set ast.SelectionSet, names ...string) bool {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			for _, n := range names {
				if one.Name == n {
					return true
				}
			}
		case *ast.InlineFragment:
			if o.selects(one.SelectionSet, names...) {
				return true
			}
		case *ast.FragmentSpread:
			if o.selects(one.Definition.SelectionSet, names...) {
				return true
			}
		}
	}
	return false
}
