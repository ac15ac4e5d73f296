package graphql

import (
	"errors"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// The types of errors that queries are refused with before they run, and while they do.
const (
	TypeMissingBounds   = "MISSING_PAGINATION_BOUNDARIES"
	TypeExcessiveBounds = "EXCESSIVE_PAGINATION"
	TypeMaxNodes        = "MAX_NODE_LIMIT_EXCEEDED"
	TypeMaxResources    = "RESOURCE_LIMITS_EXCEEDED"
)

// Location is a place in the text of a query, counted from 1.
type Location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Error is what an answer says about a query or a field that failed.
type Error struct {
	Type       string            `json:"type,omitempty"`
	Path       []any             `json:"path,omitempty"`
	Extensions map[string]string `json:"extensions,omitempty"`
	Locations  []Location        `json:"locations,omitempty"`
	Message    string            `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Reason is what the log calls it.
func (e *Error) Reason() string {
	if e.Type == "" {
		return "graphql"
	}
	return e.Type
}

// maxShownErrors is how many faults of one query an answer names.
const maxShownErrors = 20

// fromParser translates the faults that the parser and its rules found.
func fromParser(list gqlerror.List) []*Error {
	out := []*Error{}
	for _, e := range list[:min(len(list), maxShownErrors)] {
		one := &Error{Message: clip(e.Message)}
		for _, at := range e.Locations {
			one.Locations = append(one.Locations, Location{at.Line, at.Column})
		}
		for _, p := range e.Path {
			one.Path = append(one.Path, p)
		}
		if len(e.Extensions) > 0 {
			one.Extensions = map[string]string{}
			for name, value := range e.Extensions {
				if text, ok := value.(string); ok {
					one.Extensions[name] = text
				}
			}
		}
		out = append(out, one)
	}
	return out
}

// fromOne translates one error of the parser.
func fromOne(err error) []*Error {
	var fault *gqlerror.Error
	if errors.As(err, &fault) {
		return fromParser(gqlerror.List{fault})
	}
	return []*Error{{Message: err.Error()}}
}
