package calendar

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *Error
	var over *budget.StepsError
	if errors.As(err, &over) {
		refused = reason.New(reason.CodeQuota, "",
			"The recurring events take more than %d steps to expand; ask for a shorter time.", over.Limit)
	} else if !errors.As(err, &refused) {
		fault.Write(w, r, commonFault(r, err))
		return
	}
	status, word := statusOf(refused.Code)
	f := fault.New(status, word, refused.Message)
	f.Reason, f.Domain = string(refused.Code), domainOf(refused.Code)
	if refused.Field != "" {
		f.Location, f.LocationType = refused.Field, "parameter"
		if refused.Code == reason.CodeCondition {
			f.LocationType = "header"
		}
	}
	fault.Write(w, r, f)
}

// commonFault gives a spent budget the reason of this API.
func commonFault(r *route.Request, err error) fault.Fault {
	f := fault.Common(r, err)
	var spent *limit.Exceeded
	if errors.As(err, &spent) {
		f.Domain = "usageLimits"
	}
	return f
}

// statusOf is the HTTP status and its canonical word.
func statusOf(c reason.Code) (int, string) {
	switch c {
	case reason.CodeForbidden, reason.CodeAccessLevel, reason.CodeCannotChange,
		reason.CodeNotOfPrimary, reason.CodeOnlyOfPrimary, reason.CodeNotOrganizer:
		return http.StatusForbidden, "PERMISSION_DENIED"
	case reason.CodeQuota, reason.CodeManyChannels:
		return http.StatusForbidden, "RESOURCE_EXHAUSTED"
	case reason.CodeNotFound:
		return http.StatusNotFound, "NOT_FOUND"
	case reason.CodeDuplicate:
		return http.StatusConflict, "ALREADY_EXISTS"
	case reason.CodeDeleted, reason.CodeFullSync, reason.CodeUpdatedMin:
		return http.StatusGone, "FAILED_PRECONDITION"
	case reason.CodeCondition:
		return http.StatusPreconditionFailed, "FAILED_PRECONDITION"
	case reason.CodeInvalid, reason.CodeRequired, reason.CodeTimeRange, reason.CodeChannelID, reason.CodeChannelTTL,
		reason.CodeChannelType, reason.CodeNotHTTPS, reason.CodeNoHost, reason.CodeAddress, reason.CodeCertificate:
		return http.StatusBadRequest, "INVALID_ARGUMENT"
	}
	return http.StatusInternalServerError, "INTERNAL"
}

// domainOf is the name space of a reason.
func domainOf(c reason.Code) string {
	switch c {
	case reason.CodeTimeRange, reason.CodeFullSync, reason.CodeUpdatedMin, reason.CodeAccessLevel,
		reason.CodeCannotChange, reason.CodeNotOfPrimary, reason.CodeOnlyOfPrimary, reason.CodeNotOrganizer:
		return "calendar"
	case reason.CodeQuota, reason.CodeManyChannels:
		return "usageLimits"
	default:
		return "global"
	}
}
