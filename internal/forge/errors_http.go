package forge

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
)

// writeError answers in plain text, which git shows to its user.
func (f *Forge) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := classify(r, refusal.FromGit(err))
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Stoa", charset="UTF-8"`)
	}
	var busy *limit.Exceeded
	if errors.As(err, &busy) {
		w.Header().Set("Retry-After", wire.WholeSeconds(busy.RetryAfter))
	}
	w.Header().Set("Cache-Control", "no-store")
	// Only the connection can fail here, and then there is no client.
	_ = wire.WriteBytes(w, r.Request, status, "text/plain; charset=utf-8", []byte(message+"\n"))
}

// makeToken is what git shows below a refusal: its user most likely typed the password of an account.
const makeToken = "make a token at /console/tokens/new?service=events, " +
	"or with stoa token issue --user NAME --service events"

// classify is the one place that knows which failure has which status.
func classify(r *route.Request, err error) (status int, message string) {
	var own *Error
	var method *route.MethodError
	var bad *route.CredentialError
	var syntax *wire.SyntaxError
	var scope *route.ScopeError
	var busy *limit.Exceeded
	switch {
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, "send a token as the password, with any user name\n" + makeToken
	case errors.As(err, &bad) && bad.Reason == route.Unknown && len(bad.Services) == 0:
		return http.StatusUnauthorized, "the token is unknown; the password of an account is not taken here\n" + makeToken
	case errors.As(err, &bad):
		return http.StatusUnauthorized, "the token is " + bad.Reason + credential.Elsewhere(bad.Services)
	case errors.As(err, &own):
		return statusOf(own.Code), own.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "there is nothing here"
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "this address takes " + strings.Join(method.Allow, ", ")
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, "the request is larger than the server takes"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "this address is for git programs"
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the request is not well-formed"
	case errors.As(err, &scope):
		return http.StatusForbidden, scope.Error()
	case errors.As(err, &busy):
		return http.StatusTooManyRequests, fmt.Sprintf("the limit of %s is reached; try again in %s",
			busy.Name, busy.RetryAfter.Round(time.Second))
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, err.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "it took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "the client closed the request"
	}
	return http.StatusInternalServerError, "internal error; the log names the cause under request id " + r.ID
}

func statusOf(code Code) int {
	switch code {
	case CodeNotFound:
		return http.StatusNotFound
	case CodeTaken:
		return http.StatusConflict
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeForbidden:
		return http.StatusForbidden
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
