package packages

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// errorJSON is the envelope: the code is the canonical number, not the status.
type errorJSON struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Details []string `json:"details"`
}

// writeError is the service's envelope. The same facts stand in the headers
// in which the procedure-call face puts them.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, code, message := failure(r, err)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Grpc-Status", strconv.Itoa(code))
	h.Set("Grpc-Message", headerText(message))
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		h.Set("Retry-After", wire.WholeSeconds(exceeded.RetryAfter))
	}
	var own *Error
	if errors.As(err, &own) && own.retryAfter > 0 {
		h.Set("Retry-After", wire.WholeSeconds(own.retryAfter))
	}
	body, failed := json.Marshal(errorJSON{Code: code, Message: message, Details: []string{}})
	if failed != nil {
		body = []byte(`{"code":13,"message":"internal error","details":[]}`)
	}
	// Only the connection can fail here, and then there is no client left to tell.
	_ = wire.WriteBytes(w, r.Request, status, "application/json", body)
}

// headerText writes a message as the procedure-call protocol wants it in a
// header: printable ASCII stands for itself, all else is percent-encoded.
func headerText(message string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(message) {
		if c >= ' ' && c < 0x7f && c != '%' {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// failure maps an error to the HTTP status and the canonical number.
func failure(r *route.Request, err error) (status, code int, message string) {
	var (
		own        *Error
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.As(err, &own):
		status, code = own.Code.status()
		return status, code, own.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, 5, err.Error()
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, 12, err.Error()
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, 3, "the request cannot be read: " + err.Error()
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, 3, err.Error()
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, 3, err.Error()
	case errors.Is(err, route.ErrNoCredential), errors.As(err, &credential):
		return http.StatusUnauthorized, 16, err.Error()
	case errors.As(err, &scope):
		return http.StatusForbidden, 7, err.Error()
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, 8, "too many requests; wait and try again"
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, 14, err.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, 4, err.Error()
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, 1, err.Error()
	}
	return http.StatusInternalServerError, 13, "internal error " + r.ID
}

// status is the HTTP status and the canonical number of a code.
func (c Code) status() (status, number int) {
	switch c {
	case CodeInvalidArgument:
		return http.StatusBadRequest, 3
	case CodeNotFound:
		return http.StatusNotFound, 5
	case CodeUnavailable:
		return http.StatusServiceUnavailable, 14
	}
	return http.StatusInternalServerError, 13
}
