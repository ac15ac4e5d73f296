package pipelines

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// timeForm is ISO 8601 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// busyAgain is when, in seconds, jobs of the caller may have ended.
const busyAgain = "60"

// formOf chooses the encoding: EDN without an Accept header or with an empty
// one, compact JSON for application/json, indented JSON for anything else.
func formOf(r *http.Request) wire.Form {
	accept := strings.TrimSpace(strings.Join(r.Header["Accept"], ", "))
	switch {
	case accept == "":
		return wire.EDN
	case strings.EqualFold(accept, "application/json"):
		return wire.CompactJSON
	}
	return wire.IndentedJSON
}

// answer starts the body of an answer.
func answer(r *route.Request) *wire.Builder { return wire.NewBuilder(formOf(r.Request), nil) }

// write sends a finished body. What a private project says is for its caller
// alone.
func write(w http.ResponseWriter, r *route.Request, status int, b *wire.Builder) error {
	h := w.Header()
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", "private, no-cache")
	return b.Write(w, r.Request, status)
}

// message is the answer to a call that only succeeds.
func message(w http.ResponseWriter, r *route.Request, text string) error {
	return write(w, r, http.StatusOK, answer(r).Object().Key("message").Text(text).End())
}

func putText(b *wire.Builder, key, text string) { b.Key(key).Text(text) }

// putWord writes a text that may be missing.
func putWord(b *wire.Builder, key, text string) {
	if text == "" {
		b.Key(key).Null()
		return
	}
	b.Key(key).Text(text)
}

func putInt(b *wire.Builder, key string, n int64) { b.Key(key).Int(n) }

// putNumber writes a number that may be missing.
func putNumber(b *wire.Builder, key string, n int64) {
	if n == 0 {
		b.Key(key).Null()
		return
	}
	b.Key(key).Int(n)
}

func putBool(b *wire.Builder, key string, v bool) { b.Key(key).Bool(v) }

func putTime(b *wire.Builder, key string, t time.Time) {
	if t.IsZero() {
		b.Key(key).Null()
		return
	}
	b.Key(key).Text(t.UTC().Format(timeForm))
}

func putTexts(b *wire.Builder, key string, list []string) {
	b.Key(key).Array()
	for _, text := range list {
		b.Text(text)
	}
	b.End()
}

// writeError is the service's envelope: {message} in the encoding that the
// caller asked for.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, text := s.classify(w, r, err)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Basic realm="pipelines"`)
	}
	h.Add("Vary", "Accept")
	// The connection is all that can fail here, and then nobody is listening.
	_ = answer(r).Object().Key("message").Text(text).End().Write(w, r.Request, status)
}

// classify is the one place that knows which failure has which status.
func (s *Service) classify(w http.ResponseWriter, r *route.Request, err error) (status int, text string) {
	var (
		own        *Error
		credential *route.CredentialError
		method     *route.MethodError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.As(err, &own):
		if own.Code == CodeBusy {
			w.Header().Set("Retry-After", busyAgain)
		}
		return statusOfCode(own.Code), own.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "Not found"
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "Method not allowed; use " + strings.Join(method.Allow, ", ")
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, "You must log in first."
	case errors.As(err, &credential):
		return http.StatusUnauthorized, "The token is " + credential.Reason + "."
	case errors.As(err, &scope):
		return http.StatusForbidden, "Permission denied: the token needs the scope " + strings.Join(scope.Needed, " or ")
	case errors.As(err, &exceeded):
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(max(1, exceeded.RetryAfter.Seconds())))))
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
	case errors.Is(err, database.ErrBusy), errors.Is(err, database.ErrClosed), errors.Is(err, database.ErrDiskFull):
		return http.StatusServiceUnavailable, "The service is not available right now."
	}
	return http.StatusInternalServerError, "An internal server error occurred. The log names the cause under request id " + r.ID
}

func statusOfCode(c Code) int {
	switch c {
	case CodeNotFound:
		return http.StatusNotFound
	case CodeForbidden:
		return http.StatusForbidden
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeConflict:
		return http.StatusConflict
	case CodeLogin:
		return http.StatusUnauthorized
	case CodeGone:
		return http.StatusGone
	case CodeBusy:
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}
