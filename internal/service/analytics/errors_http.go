package analytics

import (
	"errors"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type failureJSON struct {
	Meta  metaJSON  `json:"meta"`
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Code    int          `json:"code"`
	Message string       `json:"message"`
	Details []detailJSON `json:"details,omitempty"`
}

type detailJSON struct {
	Message violationsJSON `json:"message"`
}

type violationsJSON struct {
	FieldViolations []violationJSON `json:"field_violations"`
}

type violationJSON struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

// The contract's own names of 500, 501, 503 and 504. Both envelopes use them.
const (
	statusInternal    = 550
	statusMethod      = 551
	statusUnavailable = 553
	statusTimeout     = 554
)

// faults are the statuses that mean a failure of ours.
func faults() []int { return []int{statusInternal, statusTimeout} }

// writeError is the common envelope around a failure.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := commonError(w, err)
	out := failureJSON{
		Meta:  metaJSON{StatusCode: status, RequestID: r.ID},
		Error: errorJSON{Code: status, Message: message},
	}
	var own *Error
	var syntax *wire.SyntaxError
	switch {
	case errors.As(err, &own) && own.Field != "":
		out.Error.Details = violation(own.Field, own.Rule)
	case errors.As(err, &syntax) && syntax.Field != "":
		out.Error.Details = violation(syntax.Field, syntax.Reason)
	case status == http.StatusBadRequest:
		out.Error.Details = violation("body", message)
	}
	// Only the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, status, out)
}

func violation(field, rule string) []detailJSON {
	list := []violationJSON{{Field: field, Description: rule}}
	return []detailJSON{{Message: violationsJSON{FieldViolations: list}}}
}

// commonError sets the headers that go with a failure, whatever the envelope, and
// returns its status and message.
func commonError(w http.ResponseWriter, err error) (status int, message string) {
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", wire.WholeSeconds(max(time.Second, exceeded.RetryAfter)))
	}
	status, message = statusOf(err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="stoa"`)
	}
	return status, message
}

func (c Code) status() int {
	switch c {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeConflict:
		return http.StatusConflict
	case CodeUnavailable:
		return statusUnavailable
	}
	return statusInternal
}

// statusOf takes an error to a status of the contract's table and a message. What
// is wrong with a body is 400, whatever it is.
func statusOf(err error) (status int, message string) {
	var (
		own        *Error
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.As(err, &own):
		return own.Code.status(), own.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "there is nothing at this address"
	case errors.As(err, &method):
		return statusMethod, method.Error()
	case errors.As(err, &syntax):
		return http.StatusBadRequest, syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the body is empty"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusBadRequest, "send application/json"
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusBadRequest, "the body is too large"
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, "send Authorization: Bearer with an access token"
	case errors.As(err, &credential):
		return http.StatusUnauthorized, "the access token is " + credential.Reason
	case errors.As(err, &scope):
		return http.StatusForbidden, scope.Error()
	case errors.As(err, &exceeded) && exceeded.Name == collectKind:
		return http.StatusTooManyRequests, "too many reports are being collected for this account; try again later"
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, "too many requests for this token; try again later"
	case errors.Is(err, route.ErrDeadline):
		return statusTimeout, "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "the client closed the request"
	case errors.Is(err, route.ErrUnavailable),
		errors.Is(err, database.ErrBusy), errors.Is(err, database.ErrDiskFull), errors.Is(err, database.ErrClosed):
		return statusUnavailable, "the service is overloaded or in maintenance; try again later"
	}
	return statusInternal, "internal error; try again later and name the request id if it stays"
}
