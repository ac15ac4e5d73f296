package snapshots

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/failures"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

// backendRetry is when a caller may try again for whom the metrics backend was not available.
const backendRetry = 5 * time.Second

// exceededMessage says which budget is used up.
func exceededMessage(e *limit.Exceeded) string {
	again := ", try again in " + wire.WholeSeconds(e.RetryAfter) + " seconds"
	switch e.Name {
	case activeLimit:
		return "Too many active series: an owner has at most " + strconv.FormatInt(e.Limit, 10) +
			"; send fewer different tags, or wait until old series are no longer active"
	case pointsLimit:
		return "Too many points: at most " + strconv.FormatInt(e.Limit, 10) + " a minute" + again
	case requestsLimit:
		return "Too many requests: at most " + strconv.FormatInt(e.Limit, 10) + " a minute" + again
	case renderKind:
		return "Too many snapshots wait to be drawn: an owner has at most " + strconv.FormatInt(e.Limit, 10) + again
	case evaluationsPool, "memory":
		return "Too many requests at once" + again
	}
	return "Too many requests: the hourly budget is used up" + again
}

// errorResponse is the contract's envelope. Intakes add status and code, as
// the public service does.
type errorResponse struct {
	Errors []string `json:"errors"`
	Status string   `json:"status,omitempty"`
	Code   int      `json:"code,omitempty"`
}

// writeError is the service's envelope.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := s.classify(r, err)
	body := errorResponse{Errors: []string{message}}
	if r.Route != nil && r.Route.Tags[tagIntake] != "" {
		body.Status, body.Code = "error", status
	}
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", wire.WholeSeconds(exceeded.RetryAfter))
	}
	if errors.Is(err, metrics.ErrUnavailable) {
		w.Header().Set("Retry-After", wire.WholeSeconds(backendRetry))
	}
	setNoCache(w)
	// Only the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, status, body)
}

// classify is the one place that knows which failure has which status.
func (s *Service) classify(r *route.Request, err error) (int, string) {
	var (
		refused    *Error
		bad        *query.Error
		method     *route.MethodError
		credential *route.CredentialError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
		part       *smallbuild.Error
	)
	switch {
	case errors.As(err, &part):
		return http.StatusNotImplemented, part.Error()
	case errors.As(err, &refused):
		return statusOfCode(refused.Code), refused.Message
	case errors.As(err, &bad):
		return http.StatusBadRequest, bad.Error()
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "Not found: there is no " + r.Method + " " + clipped(r.URL.Path) +
			failures.Elsewhere(r.URL.Path)
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "Method not allowed: use " + strings.Join(method.Allow, ", ")
	case errors.As(err, &syntax):
		return http.StatusBadRequest, syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the request body is missing"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "this content type or encoding is not accepted here"
	case errors.Is(err, wire.ErrTooLarge):
		return s.tooLarge(r), "Payload too large: send less at once"
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusForbidden, "Forbidden: send an API key in the header " + s.world.Dialect.Says(dialect.APIKey)
	case errors.As(err, &credential) && credential.Reason == route.Malformed:
		return http.StatusForbidden, "Forbidden: the API key is missing or cannot be read; send it in the header " +
			s.world.Dialect.Says(dialect.APIKey)
	case errors.As(err, &credential):
		return http.StatusForbidden, "Forbidden: the keys are not valid here (" + string(credential.Reason) + ")"
	case errors.As(err, &scope):
		return http.StatusForbidden, "Forbidden: " + scope.Error()
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, exceededMessage(exceeded)
	case errors.Is(err, route.ErrUnavailable), errors.Is(err, metrics.ErrUnavailable):
		return http.StatusServiceUnavailable, route.ErrUnavailable.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "the client closed the request"
	}
	return http.StatusInternalServerError, "internal error; the log names the cause under request id " + r.ID
}

// tooLarge is 400 where the contract knows no other refusal.
func (s *Service) tooLarge(r *route.Request) int {
	if r.Route != nil && strings.HasPrefix(r.Route.Name, "graph.") {
		return http.StatusBadRequest
	}
	return http.StatusRequestEntityTooLarge
}

func statusOfCode(c refusal.Code) int {
	switch c {
	case refusal.Forbidden:
		return http.StatusForbidden
	case refusal.NotFound:
		return http.StatusNotFound
	case refusal.TooLarge:
		return http.StatusRequestEntityTooLarge
	case refusal.Failed:
		return http.StatusUnprocessableEntity
	default:
		return http.StatusBadRequest
	}
}
