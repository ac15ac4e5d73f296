package fault

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Common is the answer to an error that any request can meet. Everything it
// does not know is an internal error, whose text stays inside.
func Common(r *route.Request, err error) Fault {
	if f, ok := requestFault(r, err); ok {
		return f
	}
	if f, ok := accessFault(err); ok {
		return f
	}
	if errors.Is(err, route.ErrUnavailable) {
		return New(http.StatusServiceUnavailable, "UNAVAILABLE", err.Error())
	}
	if errors.Is(err, route.ErrDeadline) {
		return New(http.StatusGatewayTimeout, "DEADLINE_EXCEEDED", "the request took longer than it may")
	}
	if errors.Is(err, route.ErrClientGone) {
		return New(499, "CANCELLED", "the client closed the request")
	}
	return New(http.StatusInternalServerError, "INTERNAL",
		"internal error; the log names the cause under request id "+r.ID)
}

// requestFault is about what was asked.
func requestFault(r *route.Request, err error) (Fault, bool) {
	var (
		method    *route.MethodError
		syntax    *wire.SyntaxError
		parameter *ParameterError
	)
	switch {
	case errors.As(err, &parameter):
		return parameter.fault(), true
	case errors.Is(err, route.ErrNoRoute):
		return New(http.StatusNotFound, "NOT_FOUND", fmt.Sprintf("there is nothing at %s", r.URL.Path)), true
	case errors.As(err, &method):
		f := New(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED",
			fmt.Sprintf("%s is not allowed here; use %s", r.Method, strings.Join(method.Allow, " or ")))
		f.Allow = method.Allow
		return f, true
	case errors.As(err, &syntax):
		f := New(http.StatusBadRequest, "INVALID_ARGUMENT",
			"the request body is not valid JSON for this operation: "+syntax.Error())
		f.Reason, f.Location = "parseError", syntax.Field
		return f, true
	case errors.Is(err, wire.ErrEmptyBody):
		return New(http.StatusBadRequest, "INVALID_ARGUMENT", "the request body is missing"), true
	case errors.Is(err, wire.ErrMediaType):
		return New(http.StatusUnsupportedMediaType, "INVALID_ARGUMENT", "the request body must be application/json"), true
	case errors.Is(err, wire.ErrTooLarge):
		return New(http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", "the request body is too large"), true
	}
	return Fault{}, false
}

// accessFault is about who asked, and how often.
func accessFault(err error) (Fault, bool) {
	var (
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.Is(err, route.ErrNoCredential):
		f := New(http.StatusUnauthorized, "UNAUTHENTICATED", "the request has no bearer token")
		f.Reason, f.Location, f.LocationType, f.Challenge = "required", "Authorization", "header", "Bearer"
		return f, true
	case errors.As(err, &credential):
		f := New(http.StatusUnauthorized, "UNAUTHENTICATED", "the bearer token is "+credential.Reason)
		f.Location, f.LocationType, f.Challenge = "Authorization", "header", `Bearer error="invalid_token"`
		return f, true
	case errors.As(err, &scope):
		f := New(http.StatusForbidden, "PERMISSION_DENIED",
			"the token has none of the scopes this operation needs: "+strings.Join(scope.Needed, ", "))
		f.Reason, f.Challenge = "insufficientPermissions", `Bearer error="insufficient_scope"`
		return f, true
	case errors.As(err, &exceeded):
		f := New(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "too many requests; wait and try again")
		f.Domain, f.RetryAfter = "usageLimits", exceeded.RetryAfter
		return f, true
	}
	return Fault{}, false
}
