package tasks

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
)

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *Error
	if !errors.As(err, &refused) {
		fault.Write(w, r, fault.Common(r, err))
		return
	}
	f := fault.New(statusOf(refused.Code), string(refused.Code), refused.Message)
	f.Location = refused.Field
	switch refused.Code {
	case CodeInvalidArgument:
		f.Reason, f.LocationType = "invalid", "parameter"
	case CodeResourceExhausted:
		f.Reason, f.Domain = "quotaExceeded", "usageLimits"
	case CodeFailedPrecondition:
		f.LocationType = "header"
	case CodeNotFound:
	}
	fault.Write(w, r, f)
}

func statusOf(code Code) int {
	switch code {
	case CodeInvalidArgument:
		return http.StatusBadRequest
	case CodeNotFound:
		return http.StatusNotFound
	case CodeResourceExhausted:
		return http.StatusForbidden
	case CodeFailedPrecondition:
		return http.StatusPreconditionFailed
	}
	return http.StatusInternalServerError
}
