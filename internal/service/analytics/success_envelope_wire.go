package analytics

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// metaJSON heads every answer of the data methods.
type metaJSON struct {
	Success    bool   `json:"success"`
	StatusCode int    `json:"status_code"`
	RequestID  string `json:"request_id"`
}

type successJSON struct {
	Meta metaJSON `json:"meta"`
	Data any      `json:"data"`
}

// writeData is the common envelope around a success.
func writeData(w http.ResponseWriter, r *route.Request, data any) error {
	return wire.WriteJSON(w, r.Request, http.StatusOK, successJSON{
		Meta: metaJSON{Success: true, StatusCode: http.StatusOK, RequestID: r.ID}, Data: data,
	})
}
