package events

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type errorJSON struct {
	Code             string `json:"code,omitempty"`
	Message          string `json:"message"`
	Errors           any    `json:"errors,omitempty"`
	URL              string `json:"url,omitempty"`
	DocumentationURL string `json:"documentation_url"`
	Status           string `json:"status"`
}

type violationJSON struct {
	Resource string `json:"resource"`
	Field    string `json:"field"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// writeError is the service's envelope.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, body, anchor := s.classify(w, r, err)
	body.Status = strconv.Itoa(status)
	body.DocumentationURL = s.docs(r, anchor)
	h := w.Header()
	if h["X-Ratelimit-Limit"] == nil {
		// Every answer shows the budget. If it cannot be looked up there is
		// already an error to answer with.
		_, _ = s.peek(w, r)
	}
	h.Set("Cache-Control", "no-cache")
	// Only the connection can fail here, and then there is no client left to tell.
	_ = wire.WriteJSON(w, r.Request, status, body)
}

// docs is the page that explains the answer.
func (s *Service) docs(r *route.Request, anchor string) string {
	page := strings.Replace(s.words.docs, "{base}", s.world.URL(r.Context()), 1)
	if anchor == "" {
		return page
	}
	return page + "#" + anchor
}

// classify is the one place that knows which failure has which status.
func (s *Service) classify(
	w http.ResponseWriter, r *route.Request, err error,
) (status int, body errorJSON, anchor string) {
	var (
		own        *Error
		credential *route.CredentialError
		method     *route.MethodError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	answer := func(status int, message, anchor string) (int, errorJSON, string) {
		return status, errorJSON{Message: message}, anchor
	}
	switch {
	case errors.As(err, &own):
		return s.classifyOwn(w, r, own)
	case errors.Is(err, route.ErrNoRoute), errors.As(err, &method):
		return answer(http.StatusNotFound, "Not Found", "")
	case errors.Is(err, route.ErrNoCredential):
		return answer(http.StatusUnauthorized, "Requires authentication", "authentication")
	case errors.As(err, &credential):
		return answer(http.StatusUnauthorized, "Bad credentials", "authentication")
	case errors.As(err, &scope):
		return answer(http.StatusForbidden, "Resource not accessible by this token", "authentication")
	case errors.As(err, &exceeded):
		return s.classifyOwn(w, r, secondaryError(exceeded.Decision))
	case errors.As(err, &syntax) && syntax.Field != "":
		return answer(http.StatusBadRequest, "Problems parsing JSON: "+syntax.Error(), "errors")
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody):
		return answer(http.StatusBadRequest, "Problems parsing JSON", "errors")
	case errors.Is(err, wire.ErrMediaType):
		return answer(http.StatusUnsupportedMediaType, "Unsupported Media Type", "errors")
	case errors.Is(err, wire.ErrTooLarge):
		return answer(http.StatusRequestEntityTooLarge, "The request body is too large", "errors")
	case errors.Is(err, route.ErrDeadline):
		return answer(http.StatusGatewayTimeout, "Server Error", "errors")
	case errors.Is(err, route.ErrClientGone):
		return answer(route.StatusClientGone, "Client Closed Request", "errors")
	case errors.Is(err, route.ErrUnavailable):
		status, body, anchor = answer(http.StatusServiceUnavailable, "Service Unavailable", "errors")
		body.Code = "unavailable"
		return status, body, anchor
	}
	return answer(http.StatusInternalServerError, "Server Error; the log names the cause under request id "+r.ID,
		"errors")
}

// classifyOwn answers the service's own refusals.
func (s *Service) classifyOwn(
	w http.ResponseWriter, r *route.Request, e *Error,
) (status int, body errorJSON, anchor string) {
	body.Message = e.Message
	switch e.Code {
	case refusal.CodeNotFound:
		return http.StatusNotFound, body, ""
	case refusal.CodeUnauthorized:
		return http.StatusUnauthorized, body, "authentication"
	case refusal.CodeForbidden:
		if e.Permission != "" {
			w.Header().Set(s.words.acceptedPermissions, e.Permission)
		}
		return http.StatusForbidden, body, "authentication"
	case refusal.CodeInvalid:
		body.Message = "Validation Failed"
		body.Errors = []violationJSON{{Resource: resource(r), Field: e.Field, Code: "invalid", Message: e.Message}}
		return http.StatusUnprocessableEntity, body, "errors"
	case refusal.CodePagination:
		return http.StatusUnprocessableEntity, body, "pagination"
	case refusal.CodeVersion:
		body.Errors = e.Message
		return http.StatusBadRequest, body, "api-versions"
	case refusal.CodeRetired:
		return http.StatusGone, body, "api-versions"
	case refusal.CodeMoved:
		w.Header().Set("Location", e.Location)
		body.URL = e.Location
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return http.StatusMovedPermanently, body, "http-redirects"
		}
		return http.StatusTemporaryRedirect, body, "http-redirects"
	case refusal.CodePrimary:
		return http.StatusForbidden, body, "primary-rate-limits"
	case refusal.CodeSecondary:
		w.Header().Set("Retry-After", wire.WholeSeconds(max(time.Second, e.RetryAfter)))
		return http.StatusForbidden, body, "about-secondary-rate-limits"
	case refusal.CodeAgent:
		return http.StatusForbidden, body, "user-agent"
	case refusal.CodeEmpty, refusal.CodeConflict:
		return http.StatusConflict, body, "errors"
	case refusal.CodeUnmergeable:
		return http.StatusMethodNotAllowed, body, "errors"
	}
	return http.StatusInternalServerError, body, "errors"
}

// resource names what a refused member belongs to.
func resource(r *route.Request) string {
	if r.Route == nil {
		return "Repository"
	}
	for _, row := range [][2]string{
		{"event", "Event"}, {"label", "Label"}, {"comment", "Comment"}, {"review", "PullRequestReview"},
		{"pull", "PullRequest"}, {"issue", "Issue"}, {"release", "Release"}, {"hook", "Hook"},
		{"installation", "Installation"},
	} {
		if strings.Contains(r.Route.Name, row[0]) {
			return row[1]
		}
	}
	return "Repository"
}
