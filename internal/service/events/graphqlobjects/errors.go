package graphqlobjects

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// refused is what an answer says about a refusal. Limits and errors of the server end the request.
func refused(err error) *graphql.Error {
	var own *refusal.Error
	if !errors.As(err, &own) {
		return nil
	}
	switch own.Code {
	case refusal.CodeNotFound:
		return &graphql.Error{Type: typeNotFound, Message: "Could not resolve to the object that is asked for."}
	case refusal.CodeForbidden, refusal.CodeUnauthorized:
		return &graphql.Error{Type: "FORBIDDEN", Message: own.Message}
	case refusal.CodeInvalid, refusal.CodeConflict, refusal.CodeUnmergeable, refusal.CodeEmpty:
		return &graphql.Error{Type: "UNPROCESSABLE", Message: own.Message}
	case refusal.CodePagination, refusal.CodeVersion, refusal.CodeRetired, refusal.CodeMoved, refusal.CodePrimary,
		refusal.CodeSecondary, refusal.CodeAgent:
	}
	return nil
}

const typeNotFound = "NOT_FOUND"

// missing says in the public service's words what is not there; other errors stay.
func missing(err error, format string, args ...any) error {
	var own *refusal.Error
	if errors.As(err, &own) && own.Code == refusal.CodeNotFound {
		return &graphql.Error{Type: typeNotFound, Message: fmt.Sprintf("Could not resolve to "+format, args...)}
	}
	return err
}

func invalid(format string, args ...any) error {
	return &graphql.Error{Type: "UNPROCESSABLE", Message: fmt.Sprintf(format, args...)}
}
