package labels

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
)

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *Error
	if errors.As(err, &refused) {
		f := fault.New(http.StatusBadRequest, string(refused.Code), refused.Message)
		f.Reason, f.Location, f.LocationType = "badRequest", refused.Field, "parameter"
		fault.Write(w, r, f)
		return
	}
	fault.Write(w, r, fault.Common(r, err))
}
