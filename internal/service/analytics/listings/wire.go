package listings

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type localSuccessJSON struct {
	Data      any    `json:"data"`
	RequestID string `json:"requestId"`
}

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

type locationPageJSON struct {
	Page          int        `json:"page"`
	TotalElements int64      `json:"totalElements"`
	TotalPages    int64      `json:"totalPages"`
	Content       []Location `json:"content"`
}

type outcomeJSON struct {
	LocationID string          `json:"locationId"`
	State      string          `json:"state"`
	Index      string          `json:"index,omitempty"`
	Error      *localErrorJSON `json:"error,omitempty"`
}

// itemsRequest is the object form of a list; a bare array is taken too.
type itemsRequest struct {
	Locations []json.RawMessage `json:"locations"`
}

// readItems reads a list. A location that cannot be read is an item with an
// error; a list that cannot be read is an error.
func readItems(r *http.Request) ([]item, error) {
	var raw json.RawMessage
	if err := wire.ReadJSON(r, &raw); err != nil {
		return nil, err
	}
	var in itemsRequest
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		err = wire.DecodeJSON(raw, &in.Locations)
	} else {
		err = wire.DecodeJSON(raw, &in)
	}
	if err != nil {
		return nil, err
	}
	wire.Note(r.Body, &in)
	items := make([]item, len(in.Locations))
	for i, text := range in.Locations {
		var syntax *wire.SyntaxError
		if err := wire.DecodeJSON(text, &items[i].change); errors.As(err, &syntax) {
			items[i].err = errInvalid(memberDetail(syntax))
		} else if err != nil {
			return nil, err
		}
	}
	return items, nil
}

func memberDetail(e *wire.SyntaxError) Detail {
	return Detail{Code: MemberInvalid, Message: e.Reason, Field: e.Field}
}

func outcomesToWire(outcomes []outcome) []outcomeJSON {
	out := make([]outcomeJSON, len(outcomes))
	for i, o := range outcomes {
		out[i] = outcomeJSON{LocationID: o.id, State: "UPDATED"}
		if o.err != nil {
			out[i].State, out[i].Index, out[i].Error = "FAILED", strconv.Itoa(i), o.err.toWire()
		}
	}
	return out
}

func (e *Error) toWire() *localErrorJSON {
	out := &localErrorJSON{Code: e.Code, Message: e.Error(), Details: make([]localDetailJSON, len(e.Details))}
	for i, d := range e.Details {
		out.Details[i] = localDetailJSON(d)
	}
	return out
}

// writeLocal is the local envelope around a success.
func writeLocal(w http.ResponseWriter, r *route.Request, data any) error {
	return wire.WriteJSON(w, r.Request, http.StatusOK, localSuccessJSON{Data: data, RequestID: r.ID})
}

// ErrorWriter is the local envelope around a failure. It has three codes only: a
// status that has none of its own goes with BAD_REQUEST. common says the status
// and the message of what any request can meet, and sets its headers.
func ErrorWriter(
	common func(w http.ResponseWriter, err error) (status int, message string),
) func(http.ResponseWriter, *route.Request, error) {
	return func(w http.ResponseWriter, r *route.Request, err error) {
		status, message := common(w, err)
		out := localErrorJSON{Code: CodeBadRequest, Message: message, Details: []localDetailJSON{}}
		var own *Error
		var syntax *wire.SyntaxError
		switch {
		case errors.As(err, &own):
			status, out = own.Code.status(), *own.toWire()
		case errors.As(err, &syntax) && syntax.Field != "":
			out.Details = append(out.Details, localDetailJSON(memberDetail(syntax)))
		case status == http.StatusNotFound:
			out.Code = CodeNotFound
		}
		// Only the connection can fail here, and then the client is gone.
		_ = wire.WriteJSON(w, r.Request, status, localFailureJSON{Error: out, RequestID: r.ID})
	}
}

func (c Code) status() int {
	if c == CodeNotFound {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}
