package calendar

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/fieldmask"
	"stoa.dev/stoa/internal/service/calendar/mergepatch"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

const mediaType = "application/json; charset=UTF-8"

// tagged is an answer with an entity tag of its own.
type tagged interface{ Tag() string }

// write sends an answer: nothing as 204, and 304 when the caller already has
// it.
func write(w http.ResponseWriter, r *route.Request, answer any) error {
	if answer == nil {
		wire.NoContent(w, http.StatusNoContent)
		return nil
	}
	w.Header().Set("Cache-Control", "private, max-age=0, must-revalidate, no-transform")
	if kept, ok := answer.(memo.Answer); ok {
		return writeKept(w, r, kept)
	}
	if t, ok := answer.(tagged); ok && t.Tag() != "" {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if wire.NotModified(w, r.Request, t.Tag()) {
				return nil
			}
		} else {
			w.Header().Set("ETag", t.Tag())
		}
	}
	answer, err := maskedAnswer(r, answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaType)
	if prettyPrint(r) {
		return wire.WriteIndented(w, r.Request, http.StatusOK, answer)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer)
}

// writeKept sends an answer that was encoded before.
func writeKept(w http.ResponseWriter, r *route.Request, kept memo.Answer) error {
	if wire.NotModified(w, r.Request, kept.Tag) {
		return nil
	}
	if prettyPrint(r) {
		w.Header().Set("Content-Type", mediaType)
		return wire.WriteIndented(w, r.Request, http.StatusOK, json.RawMessage(kept.Body))
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, mediaType, kept.Body)
}

func prettyPrint(r *route.Request) bool {
	return strings.EqualFold(r.Query().Get("prettyPrint"), "true")
}

// readMask reads the parameter fields; nil keeps everything.
func readMask(r *route.Request) (fieldmask.Mask, error) {
	fields := r.Query().Get("fields")
	if fields == "" {
		return nil, nil
	}
	return fieldmask.Parse(fields)
}

// maskedAnswer leaves of an answer the members that fields names.
func maskedAnswer(r *route.Request, answer any) (any, error) {
	m, err := readMask(r)
	if err != nil || m == nil {
		return answer, err
	}
	return m.Of(answer)
}

// readBody takes the body as it is; it is decoded once it is known what it is
// merged into.
func readBody(r *route.Request) ([]byte, error) {
	var raw json.RawMessage
	if err := wire.ReadJSON(r.Request, &raw); err != nil {
		return nil, err
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, &wire.SyntaxError{Reason: "the body must be a JSON object"}
	}
	return raw, nil
}

// readDocument reads a body that is not merged into anything.
func readDocument(r *route.Request, doc any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	return wire.DecodeJSON(body, doc)
}

// change is an update (replace) or a patch (merge) of a document.
type change struct {
	body    []byte
	merges  bool
	ifMatch string
}

// readChange reads the body of an update or a patch and its condition.
func readChange(r *route.Request) (change, error) {
	body, err := readBody(r)
	return change{body: body, merges: r.Method == http.MethodPatch, ifMatch: r.Header.Get("If-Match")}, err
}

// apply gives the document as it is after the change.
func (ch change) apply(doc, into any) error {
	if ch.merges {
		return mergepatch.Apply(doc, ch.body, into)
	}
	return wire.DecodeJSON(ch.body, into)
}

// gate charges the caller's window before the handler runs.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	window := limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Per: time.Minute}
	_, err := s.world.Limits.Take(r.Context(), window, r.Caller.LimitKey(), 1)
	return nil, err
}

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
		reason.CodeNotOfPrimary, reason.CodeOnlyOfPrimary:
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
		reason.CodeCannotChange, reason.CodeNotOfPrimary, reason.CodeOnlyOfPrimary:
		return "calendar"
	case reason.CodeQuota, reason.CodeManyChannels:
		return "usageLimits"
	default:
		return "global"
	}
}
