package locations

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// localSuccessJSON has the members of the common envelope and the local request id.
type localSuccessJSON struct {
	Meta      metaJSON `json:"meta"`
	Data      any      `json:"data"`
	RequestID string   `json:"requestId"`
}

type metaJSON struct {
	Success    bool   `json:"success"`
	StatusCode int    `json:"status_code"`
	RequestID  string `json:"request_id"`
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
		err = wire.DecodeJSON(raw, &in, wire.DisallowUnknown())
	}
	if err != nil {
		return nil, err
	}
	wire.Note(r.Body, &in)
	items := make([]item, len(in.Locations))
	for i, text := range in.Locations {
		var syntax *wire.SyntaxError
		if err := wire.DecodeJSON(text, &items[i].change, wire.DisallowUnknown()); errors.As(err, &syntax) {
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

// writeLocal is the local envelope around a success.
func writeLocal(w http.ResponseWriter, r *route.Request, data any) error {
	meta := metaJSON{Success: true, StatusCode: http.StatusOK, RequestID: r.ID}
	return wire.WriteJSON(w, r.Request, http.StatusOK, localSuccessJSON{Meta: meta, Data: data, RequestID: r.ID})
}
