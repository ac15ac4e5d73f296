package oauth

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type errorJSON struct {
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
}

// quotaJSON is the one answer of the shared table without the error member.
type quotaJSON struct {
	ErrorCode string `json:"error_code"`
}

// WriteError is the envelope of token endpoints.
func WriteError(w http.ResponseWriter, r *route.Request, err error) {
	NoStore(w)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", wire.WholeSeconds(exceeded.RetryAfter))
		// As below: only the connection can fail.
		_ = wire.WriteJSON(w, r.Request, http.StatusForbidden, quotaJSON{ErrorCode: "rate_limit_exceeded"})
		return
	}
	status, code, description := commonError(r, err)
	if code == InvalidToken || code == insufficientScope {
		// RFC 6750 section 3: the header says what is wrong with the token.
		w.Header().Set("WWW-Authenticate", `Bearer realm="stoa", error="`+string(code)+`"`)
	}
	var refused *Error
	if errors.As(err, &refused) {
		if refused.Basic {
			w.Header().Set("WWW-Authenticate", `Basic realm="stoa"`)
		}
		status, code, description = refused.Code.Status(), refused.Code, refused.Description
	}
	// The connection is all that can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, status, errorJSON{Error: string(code), ErrorDescription: Plain(description)})
}

// maxDescription is more than any of ours has; what is repeated from a request may
// have more.
const maxDescription = 300

// Plain keeps a description to the characters that RFC 6749 section 5.2 allows:
// printable ASCII without quotation mark and backslash.
func Plain(description string) string {
	description = strings.Map(func(c rune) rune {
		switch {
		case c == '"':
			return '\''
		case c < ' ' || c > '~' || c == '\\':
			return '?'
		}
		return c
	}, description)
	return description[:min(len(description), maxDescription)]
}

// commonError answers the errors that any request can meet.
func commonError(r *route.Request, err error) (status int, code Code, description string) {
	var (
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
	)
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, InvalidRequest, "there is nothing at this address"
	case errors.As(err, &method):
		// Preflights are no way to call an operation.
		allow := slices.DeleteFunc(slices.Clone(method.Allow), func(m string) bool { return m == http.MethodOptions })
		return http.StatusMethodNotAllowed, InvalidRequest, "use " + strings.Join(allow, " or ")
	case errors.As(err, &syntax):
		return http.StatusBadRequest, InvalidRequest, syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, InvalidRequest, "the form is empty"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, InvalidRequest, "send application/x-www-form-urlencoded"
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, InvalidRequest, "the form is too large"
	case errors.Is(err, route.ErrNoCredential), errors.As(err, &credential):
		return http.StatusUnauthorized, InvalidToken, "send a valid access token as Authorization: Bearer"
	case errors.As(err, &scope):
		return http.StatusForbidden, insufficientScope, scope.Error()
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, "temporarily_unavailable", err.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "temporarily_unavailable", "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "temporarily_unavailable", "the client closed the request"
	}
	return http.StatusInternalServerError, "server_error", "internal error, see request id " + r.ID
}
