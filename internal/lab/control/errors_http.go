package control

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type errorJSON struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

// writeError is the API's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, body := describe(r, err)
	if retry := retryAfter(err); retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(retry))
	}
	// Only writing to the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, status, errorJSON{Error: body})
}

func retryAfter(err error) int {
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		return int(math.Ceil(exceeded.RetryAfter.Seconds()))
	}
	return 0
}

func describe(r *route.Request, err error) (int, errorBody) {
	var refused *lab.Error
	if errors.As(err, &refused) {
		status := map[lab.Code]int{
			lab.CodeInvalid: http.StatusBadRequest, lab.CodeNotFound: http.StatusNotFound,
			lab.CodeConflict: http.StatusConflict, lab.CodeExhausted: http.StatusTooManyRequests,
			lab.CodeFailed: http.StatusInternalServerError,
		}[refused.Code]
		return status, errorBody{Code: string(refused.Code), Message: refused.Message, Next: refused.Next}
	}
	var rule *faultrule.Error
	if errors.As(err, &rule) {
		if rule.Full {
			return http.StatusTooManyRequests, errorBody{Code: "exhausted", Message: rule.Error(), Next: rule.Next}
		}
		return http.StatusBadRequest, errorBody{Code: "invalid", Message: rule.Error(), Next: rule.Next}
	}
	var method *route.MethodError
	var syntax *wire.SyntaxError
	var credentials *route.CredentialError
	var exceeded *limit.Exceeded
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, errorBody{
			"not_found", "there is nothing at " + r.URL.Path,
			"docs/lab.md lists the calls",
		}
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, errorBody{
			"invalid", "the method is not allowed here",
			"use " + strings.Join(method.Allow, ", "),
		}
	case errors.Is(err, route.ErrNoCredential), errors.As(err, &credentials):
		return http.StatusUnauthorized, errorBody{
			"unauthorized", "the lab's token is missing or wrong",
			"send Authorization: Bearer $STOA_LAB_TOKEN; lab.env in the lab's folder has it",
		}
	case errors.As(err, &syntax):
		return http.StatusBadRequest, errorBody{"invalid", syntax.Error(), "docs/lab.md and docs/faults.md list the members"}
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, errorBody{
			"invalid", "the body is empty",
			"send a JSON object, {} where nothing is needed",
		}
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, errorBody{
			"invalid", "the body is not JSON",
			"send Content-Type: application/json",
		}
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, errorBody{"invalid", "the body is too large", "send a smaller one"}
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, errorBody{"exhausted", "too many requests at once", "try again later"}
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, errorBody{"failed", err.Error(), "try again"}
	case errors.Is(err, route.ErrDeadline):
		return http.StatusServiceUnavailable, errorBody{"failed", "the call took too long", "try again"}
	}
	return http.StatusInternalServerError, errorBody{
		"failed", "the lab failed; its log has the reason", "see request " + r.ID,
	}
}
