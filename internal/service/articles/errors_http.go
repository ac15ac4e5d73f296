package articles

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/markdown"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
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
		w.Header().Set("Retry-After", wire.WholeSeconds(exceeded.RetryAfter))
	}
	if kind == refusal.Unauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="stoa"`)
	}
	// Only the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, statusOf(kind), errorJSON{Message: message, Type: string(kind)})
}

func statusOf(t refusal.Kind) int {
	switch t {
	case refusal.BadRequest:
		return http.StatusBadRequest
	case refusal.Unauthorized:
		return http.StatusUnauthorized
	case refusal.Forbidden, refusal.RateLimited:
		return http.StatusForbidden
	case refusal.NotFound:
		return http.StatusNotFound
	default: // refusal.Internal
		return http.StatusInternalServerError
	}
}

// kindOf gives the type and the message of the service's own errors and of those
// that any request can meet.
func kindOf(r *route.Request, err error) (refusal.Kind, string) {
	var (
		own        *refusal.Error
		method     *route.MethodError
		syntax     *wire.SyntaxError
		bad        *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
		paging     *page.ParamError
		tooLarge   *rowmemory.TooLargeError
		complexity *markdown.ComplexityError
		query      *search.QueryError
	)
	switch {
	case errors.As(err, &own):
		return own.Kind, own.Message
	case errors.As(err, &complexity):
		return refusal.BadRequest, complexity.Error()
	case errors.As(err, &query):
		return refusal.BadRequest, query.Error()
	case errors.Is(err, route.ErrNoRoute), errors.As(err, &method):
		return refusal.NotFound, "Not found"
	case errors.As(err, &syntax):
		return refusal.BadRequest, syntax.Error()
	case errors.As(err, &paging):
		return refusal.BadRequest, paging.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return refusal.BadRequest, "The body is empty"
	case errors.Is(err, wire.ErrMediaType):
		return refusal.BadRequest, "Send Content-Type: application/json"
	case errors.As(err, &tooLarge):
		return refusal.RateLimited, "The answer is longer than what one caller may have at once; " +
			"ask for less, with a smaller per_page"
	case errors.Is(err, wire.ErrTooLarge):
		return refusal.BadRequest, "The body is too large"
	case errors.Is(err, route.ErrNoCredential):
		return refusal.Unauthorized, "Send Authorization: Bearer with an access token"
	case errors.As(err, &bad):
		return refusal.Unauthorized, "The access token is " + bad.Reason + credential.Elsewhere(bad.Services)
	case errors.As(err, &scope):
		return refusal.Forbidden, scope.Error()
	case errors.As(err, &exceeded):
		return refusal.RateLimited, "Rate limit exceeded"
	case errors.Is(err, route.ErrUnavailable):
		return refusal.Internal, "The service is not available; try again later"
	case errors.Is(err, route.ErrDeadline):
		return refusal.Internal, "The request took longer than it may"
	}
	return refusal.Internal, "Internal server error " + r.ID
}

func statusOfError(err error) int {
	kind, _ := kindOf(&route.Request{}, err)
	return statusOf(kind)
}
