package locations

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type localFailureJSON struct {
	Error     localErrorJSON `json:"error"`
	RequestID string         `json:"requestId"`
}

type localErrorJSON struct {
	Code    Code              `json:"code"`
	Message string            `json:"message"`
	Details []localDetailJSON `json:"details"`
}

type localDetailJSON struct {
	Code    DetailCode `json:"code"`
	Message string     `json:"message"`
	Field   string     `json:"field,omitempty"`
	Index   string     `json:"index,omitempty"`
}

func (e *Error) toWire() *localErrorJSON {
	out := &localErrorJSON{Code: e.Code, Message: e.Error(), Details: make([]localDetailJSON, len(e.Details))}
	for i, d := range e.Details {
		out.Details[i] = localDetailJSON(d)
	}
	return out
}

// ErrorWriter is the local envelope around a failure. common says the status and the
// message of what any request can meet, and sets its headers.
func ErrorWriter(
	common func(w http.ResponseWriter, err error) (status int, message string),
) func(http.ResponseWriter, *route.Request, error) {
	return func(w http.ResponseWriter, r *route.Request, err error) {
		status, message := common(w, err)
		out := localErrorJSON{Code: codeOf(status), Message: message, Details: []localDetailJSON{}}
		var own *Error
		var syntax *wire.SyntaxError
		switch {
		case errors.As(err, &own):
			status, out = own.Code.status(), *own.toWire()
		case errors.As(err, &syntax) && syntax.Field != "":
			out.Details = append(out.Details, localDetailJSON(memberDetail(syntax)))
		}
		// Only the connection can fail here, and then the client is gone.
		_ = wire.WriteJSON(w, r.Request, status, localFailureJSON{Error: out, RequestID: r.ID})
	}
}

// The contract's own names of 500, 501, 503 and 504.
const (
	statusMethod      = 551
	statusUnavailable = 553
	statusTimeout     = 554
)

// codeOf tells the statuses apart.
func codeOf(status int) Code {
	switch status {
	case http.StatusBadRequest:
		return CodeBadRequest
	case http.StatusUnauthorized:
		return CodeUnauthorized
	case http.StatusForbidden:
		return CodeForbidden
	case http.StatusNotFound:
		return CodeNotFound
	case http.StatusTooManyRequests:
		return CodeTooMany
	case route.StatusClientGone:
		return CodeClientGone
	case statusMethod:
		return CodeMethod
	case statusUnavailable:
		return CodeUnavailable
	case statusTimeout:
		return CodeTimeout
	}
	return CodeInternal
}

func (c Code) status() int {
	if c == CodeNotFound {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}
