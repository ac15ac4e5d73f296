package analytics

import (
	"errors"
	"math"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// metaJSON heads every answer of the data methods.
type metaJSON struct {
	Success    bool   `json:"success"`
	StatusCode int    `json:"status_code"`
	RequestID  string `json:"request_id"`
}

type failureJSON struct {
	Meta  metaJSON  `json:"meta"`
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Details []any  `json:"details,omitempty"`
}

// writeError is the common envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := ground(err)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.RetryAfter.Seconds()))))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="stoa"`)
	}
	// The connection is all that can fail here, and then nobody is listening.
	_ = wire.WriteJSON(w, r.Request, status, failureJSON{
		Meta: metaJSON{StatusCode: status, RequestID: r.ID}, Error: errorJSON{Code: status, Message: message},
	})
}

// ground answers the errors that any request can meet.
func ground(err error) (status int, message string) {
	var (
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "there is nothing at this address"
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, method.Error()
	case errors.As(err, &syntax):
		return http.StatusBadRequest, syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the body is empty"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "send application/json"
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, "the body is too large"
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, "send Authorization: Bearer with an access token"
	case errors.As(err, &credential):
		return http.StatusUnauthorized, "the access token is " + credential.Reason
	case errors.As(err, &scope):
		return http.StatusForbidden, scope.Error()
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, "too many requests"
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "the client closed the request"
	}
	return http.StatusInternalServerError, "internal error"
}
