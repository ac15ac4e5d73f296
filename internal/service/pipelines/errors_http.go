package pipelines

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// busyRetryAfter is when, in seconds, jobs of the caller may have ended.
const busyRetryAfter = "60"

// writeError is the service's envelope: {message} in the encoding that the caller asked for.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, text := s.classify(w, r, err)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Basic realm="pipelines"`)
	}
	h.Add("Vary", "Accept")
	form := formOf(r.Request)
	if body, err := form.Encode(messageJSON{wire.Text(text)}, 0); err == nil {
		// The connection is all that can fail here, and then the client is gone.
		_ = wire.WriteBytes(w, r.Request, status, form.MediaType(), body)
	}
}

// classify is the one place that knows which failure has which status.
func (s *Service) classify(w http.ResponseWriter, r *route.Request, err error) (status int, text string) {
	var (
		refused    *refusal.Error
		credential *route.CredentialError
		method     *route.MethodError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.As(err, &refused):
		if refused.Code == refusal.Busy {
			w.Header().Set("Retry-After", busyRetryAfter)
		}
		return statusOf(refused.Code), refused.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "Not found"
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "Method not allowed; use " + strings.Join(method.Allow, ", ")
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, "You must log in first."
	case errors.As(err, &credential):
		return http.StatusUnauthorized, "The token is " + credential.Reason + "."
	case errors.As(err, &scope):
		return http.StatusForbidden, "Permission denied: the token needs the scope " +
			strings.Join(scope.Needed, " or ")
	case errors.As(err, &exceeded):
		w.Header().Set("Retry-After", wire.WholeSeconds(max(time.Second, exceeded.RetryAfter)))
		return http.StatusTooManyRequests, "Rate limited: " + strconv.FormatInt(exceeded.Limit, 10) +
			" requests are used up; wait as long as Retry-After says."
	case errors.As(err, &syntax):
		return http.StatusBadRequest, "The request cannot be read: " + syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "The request needs a body."
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "Send application/json or a form."
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, "The request body is too large."
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "The request took too long."
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "The caller has gone away."
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, "The service is not available right now."
	}
	return http.StatusInternalServerError,
		"An internal server error occurred. The log names the cause under request id " + r.ID
}

func statusOf(c refusal.Code) int {
	switch c {
	case refusal.NotFound:
		return http.StatusNotFound
	case refusal.Forbidden:
		return http.StatusForbidden
	case refusal.Invalid:
		return http.StatusBadRequest
	case refusal.Conflict:
		return http.StatusConflict
	case refusal.Login:
		return http.StatusUnauthorized
	case refusal.Gone:
		return http.StatusGone
	case refusal.Busy:
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}
