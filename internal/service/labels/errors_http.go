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
		f := fault.New(statusOf(refused.Code), string(refused.Code), refused.Message)
		if refused.Field != "" {
			f.Reason, f.Location, f.LocationType = "badRequest", refused.Field, "parameter"
		}
		fault.Write(w, r, f)
		return
	}
	fault.Write(w, r, fault.Common(r, err))
}

func statusOf(c Code) int {
	switch c {
	case CodeNotFound:
		return http.StatusNotFound
	case CodePermissionDenied:
		return http.StatusForbidden
	case CodeResourceExhausted:
		return http.StatusTooManyRequests
	case CodeInvalidArgument, CodeFailedPrecondition:
	}
	return http.StatusBadRequest
}
