package apikeys

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type errorResponse struct {
	Status    string    `json:"status"`
	Timestamp string    `json:"timestamp"`
	Path      string    `json:"path"`
	Error     errorJSON `json:"error"`
}

type errorJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details any    `json:"details"`
}

// plainDetails repeats the failure for clients that only look there.
type plainDetails struct {
	Message    string `json:"message"`
	Error      string `json:"error"`
	StatusCode int    `json:"statusCode"`
}

type violationDetails struct {
	Errors []violationJSON `json:"errors"`
}

type violationJSON struct {
	Property    string            `json:"property"`
	Children    []any             `json:"children"`
	Constraints map[string]string `json:"constraints"`
}

// timestampForm is ISO 8601 in UTC with milliseconds.
const timestampForm = "2006-01-02T15:04:05.000Z"

// writeError is the service's envelope.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, code, message := classify(r, err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", wire.WholeSeconds(exceeded.RetryAfter))
	}
	w.Header().Set("Cache-Control", "no-store")
	body := errorResponse{
		Status:    "error",
		Timestamp: s.world.Clock.Now().Format(timestampForm),
		Path:      r.URL.RequestURI(),
		Error:     errorJSON{Code: code, Message: message, Details: details(err, status, message)},
	}
	// Only the connection can fail here, and then there is no client left to tell.
	_ = wire.WriteJSON(w, r.Request, status, body)
}

// classify is the one place that knows which failure has which status.
func classify(r *route.Request, err error) (status int, code, message string) {
	var (
		refused    *Error
		method     *route.MethodError
		credential *route.CredentialError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.As(err, &refused) && refused.Code == CodeUnauthorized:
		return http.StatusUnauthorized, string(refused.Code), refused.Message
	case errors.As(err, &refused):
		return http.StatusBadRequest, string(refused.Code), refused.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "NotFoundException", "Cannot " + r.Method + " " + r.URL.Path
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "MethodNotAllowedException", "Cannot " + r.Method + " " + r.URL.Path
	case errors.As(err, &syntax):
		return http.StatusBadRequest, string(CodeBadRequest), syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, string(CodeBadRequest), "the request body is missing"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "UnsupportedMediaTypeException", "the body must be application/json"
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, "PayloadTooLargeException", "the body is too large"
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, string(CodeUnauthorized),
			"no authentication was provided: send an API key as bearer token"
	case errors.As(err, &credential) && credential.Reason == route.Malformed:
		return http.StatusUnauthorized, string(CodeUnauthorized),
			"the credential cannot be read: send the API key as Authorization: Bearer KEY"
	case errors.As(err, &credential) && credential.Reason == route.Expired:
		return http.StatusUnauthorized, string(CodeUnauthorized), "the API key is expired"
	case errors.As(err, &credential) && credential.Reason == route.Revoked:
		return http.StatusUnauthorized, string(CodeUnauthorized),
			"the API key is not valid: it has been refreshed or revoked"
	case errors.As(err, &credential):
		return http.StatusUnauthorized, string(CodeUnauthorized),
			"the API key is not valid: only an API key of this service may be used here"
	case errors.As(err, &scope):
		return http.StatusForbidden, "ForbiddenException", scope.Error()
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, "ThrottlerException", "too many requests; try again later"
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, "ServiceUnavailableException", err.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "GatewayTimeoutException", "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "ClientClosedRequestException", "the client closed the request"
	}
	return http.StatusInternalServerError, "InternalServerErrorException",
		"internal error; the log names the cause under request id " + r.ID
}

func details(err error, status int, message string) any {
	var refused *Error
	if !errors.As(err, &refused) || len(refused.Violations) == 0 {
		return plainDetails{Message: message, Error: http.StatusText(status), StatusCode: status}
	}
	out := violationDetails{Errors: []violationJSON{}}
	for _, v := range refused.Violations {
		item := violationJSON{Property: v.Property, Children: []any{}, Constraints: map[string]string{}}
		for _, c := range v.Constraints {
			item.Constraints[c.Rule] = c.Text
		}
		out.Errors = append(out.Errors, item)
	}
	return out
}
