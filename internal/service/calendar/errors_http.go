package calendar

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *Error
	var over *budget.StepsError
	if errors.As(err, &over) {
		refused = refusal.New(refusal.CodeQuota, "",
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
		if refused.Code == refusal.CodeCondition {
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
func statusOf(c refusal.Code) (int, string) {
	switch c {
	case refusal.CodeForbidden, refusal.CodeAccessLevel, refusal.CodeCannotChange,
		refusal.CodeNotOfPrimary, refusal.CodeOnlyOfPrimary, refusal.CodeNotOrganizer:
		return http.StatusForbidden, "PERMISSION_DENIED"
	case refusal.CodeQuota, refusal.CodeManyChannels:
		return http.StatusForbidden, "RESOURCE_EXHAUSTED"
	case refusal.CodeNotFound:
		return http.StatusNotFound, "NOT_FOUND"
	case refusal.CodeDuplicate:
		return http.StatusConflict, "ALREADY_EXISTS"
	case refusal.CodeDeleted, refusal.CodeFullSync, refusal.CodeUpdatedMin:
		return http.StatusGone, "FAILED_PRECONDITION"
	case refusal.CodeCondition:
		return http.StatusPreconditionFailed, "FAILED_PRECONDITION"
	case refusal.CodeInvalid, refusal.CodeRequired, refusal.CodeTimeRange, refusal.CodeChannelID, refusal.CodeChannelTTL,
		refusal.CodeChannelType, refusal.CodeNotHTTPS, refusal.CodeNoHost, refusal.CodeAddress, refusal.CodeCertificate:
		return http.StatusBadRequest, "INVALID_ARGUMENT"
	}
	return http.StatusInternalServerError, "INTERNAL"
}

// domainOf is the name space of a reason.
func domainOf(c refusal.Code) string {
	switch c {
	case refusal.CodeTimeRange, refusal.CodeFullSync, refusal.CodeUpdatedMin, refusal.CodeAccessLevel,
		refusal.CodeCannotChange, refusal.CodeNotOfPrimary, refusal.CodeOnlyOfPrimary, refusal.CodeNotOrganizer:
		return "calendar"
	case refusal.CodeQuota, refusal.CodeManyChannels:
		return "usageLimits"
	default:
		return "global"
	}
}
