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
)

type errorJSON struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

// writeError is the service's envelope. The contract lists five statuses and
// no other may appear.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	kind, message := kindOf(r, err)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.RetryAfter.Seconds()))))
	}
	if kind == Unauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="stoa"`)
	}
	// The connection is all that can fail here, and then nobody is listening.
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

// kindOf answers the service's own errors and those any request can meet.
func kindOf(r *route.Request, err error) (ErrorType, string) {
	var (
		own        *Error
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
		paging     *page.ParamError
		long       *longError
		complexity *markdown.ComplexityError
	)
	switch {
	case errors.As(err, &own):
		return own.Type, own.Message
	case errors.As(err, &complexity):
		return BadRequest, complexity.Error()
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
	case errors.As(err, &long):
		return RateLimited, "The answer is longer than what one caller may have at once; ask for less, with a smaller per_page"
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

// encoded is JSON that needs no further encoding.
type encoded []byte

// separate writes a comma unless an array has just begun.
func separate(out encoded) encoded {
	if out[len(out)-1] != '[' {
		out = append(out, ',')
	}
	return out
}

// stamp is a time as the contract writes it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
