package articles

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/markdown"
	"stoa.dev/stoa/internal/service/articles/search"
)

type errorJSON struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

// writeError is the service's envelope. The contract lists five statuses, and no
// other may appear.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	kind, message := kindOf(r, err)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.RetryAfter.Seconds()))))
	}
	if kind == Unauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="stoa"`)
	}
	// Only the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, statusOf(kind), errorJSON{Message: message, Type: string(kind)})
}

func statusOf(t ErrorType) int {
	switch t {
	case BadRequest:
		return http.StatusBadRequest
	case Unauthorized:
		return http.StatusUnauthorized
	case Forbidden, RateLimited:
		return http.StatusForbidden
	case NotFound:
		return http.StatusNotFound
	case Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// kindOf gives the type and the message of the service's own errors and of those
// that any request can meet.
func kindOf(r *route.Request, err error) (ErrorType, string) {
	var (
		own        *Error
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
		paging     *page.ParamError
		tooLarge   *responseTooLargeError
		complexity *markdown.ComplexityError
		query      *search.QueryError
	)
	switch {
	case errors.As(err, &own):
		return own.Type, own.Message
	case errors.As(err, &complexity):
		return BadRequest, complexity.Error()
	case errors.As(err, &query):
		return BadRequest, query.Error()
	case errors.Is(err, route.ErrNoRoute), errors.As(err, &method):
		return NotFound, "Not found"
	case errors.As(err, &syntax):
		return BadRequest, syntax.Error()
	case errors.As(err, &paging):
		return BadRequest, paging.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return BadRequest, "The body is empty"
	case errors.Is(err, wire.ErrMediaType):
		return BadRequest, "Send Content-Type: application/json"
	case errors.As(err, &tooLarge):
		return RateLimited, "The answer is longer than what one caller may have at once; " +
			"ask for less, with a smaller per_page"
	case errors.Is(err, wire.ErrTooLarge):
		return BadRequest, "The body is too large"
	case errors.Is(err, route.ErrNoCredential):
		return Unauthorized, "Send Authorization: Bearer with an access token"
	case errors.As(err, &credential):
		return Unauthorized, "The access token is " + credential.Reason
	case errors.As(err, &scope):
		return Forbidden, scope.Error()
	case errors.As(err, &exceeded):
		return RateLimited, "Rate limit exceeded"
	case errors.Is(err, route.ErrDeadline):
		return Internal, "The request took longer than it may"
	}
	return Internal, "Internal server error " + r.ID
}

// asIs encodes what needs no other shape.
func asIs[T any](v T) T { return v }

// formatTime writes a time as the contract does.
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
