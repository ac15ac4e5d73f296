package calendar

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

const mediaType = "application/json; charset=UTF-8"

// tagged is an answer with an entity tag of its own.
type tagged interface{ tag() string }

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
	if t, ok := answer.(tagged); ok && t.tag() != "" {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if wire.NotModified(w, r.Request, t.tag()) {
				return nil
			}
		} else {
			w.Header().Set("ETag", t.tag())
		}
	}
	answer, err := maskedAnswer(r, answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaType)
	if isPretty(r) {
		return wire.WriteIndented(w, r.Request, http.StatusOK, answer)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer)
}

// writeKept sends an answer that was encoded before.
func writeKept(w http.ResponseWriter, r *route.Request, kept memo.Answer) error {
	if wire.NotModified(w, r.Request, kept.Tag) {
		return nil
	}
	if isPretty(r) {
		w.Header().Set("Content-Type", mediaType)
		return wire.WriteIndented(w, r.Request, http.StatusOK, json.RawMessage(kept.Body))
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, mediaType, kept.Body)
}

func isPretty(r *route.Request) bool { return strings.EqualFold(r.Query().Get("prettyPrint"), "true") }

// readMask reads the parameter fields; nil keeps everything.
func readMask(r *route.Request) (mask, error) {
	fields := r.Query().Get("fields")
	if fields == "" {
		return nil, nil
	}
	return parseMask(fields)
}

// maskedAnswer leaves of an answer the members that fields names.
func maskedAnswer(r *route.Request, answer any) (any, error) {
	m, err := readMask(r)
	if err != nil || m == nil {
		return answer, err
	}
	return m.of(answer)
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

// merge applies a patch to a document (RFC 7396) and decodes the result.
func merge(doc any, patch []byte, into any) error {
	var target, changes map[string]any
	if err := wire.DecodeJSON(patch, &changes); err != nil {
		return err
	}
	if err := json.Unmarshal(stored(doc), &target); err != nil {
		return err
	}
	return wire.DecodeJSON(stored(mergeObjects(target, changes)), into)
}

func mergeObjects(target, changes map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for name, value := range changes {
		switch value := value.(type) {
		case nil:
			delete(target, name)
		case map[string]any:
			inner, _ := target[name].(map[string]any)
			target[name] = mergeObjects(inner, value)
		default:
			target[name] = value
		}
	}
	return target
}

// gate charges the caller's window before the handler runs.
func gate(limiter *limit.Limiter, window limit.Window) func(http.ResponseWriter, *route.Request) (func(), error) {
	return func(_ http.ResponseWriter, r *route.Request) (func(), error) {
		_, err := limiter.Take(r.Context(), window, r.Caller.LimitKey(), 1)
		return nil, err
	}
}

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *Error
	var over *budget.StepsError
	if errors.As(err, &over) {
		refused = refuse(CodeQuota, "", "The recurring events take more than %d steps to expand; ask for a shorter time.", over.Limit)
	} else if !errors.As(err, &refused) {
		fault.Write(w, r, groundFault(r, err))
		return
	}
	status, word := statusOf(refused.Code)
	f := fault.New(status, word, refused.Message)
	f.Reason, f.Domain = string(refused.Code), domainOf(refused.Code)
	if refused.Field != "" {
		f.Location, f.LocationType = refused.Field, "parameter"
		if refused.Code == CodeCondition {
			f.LocationType = "header"
		}
	}
	fault.Write(w, r, f)
}

// groundFault gives a spent budget the reason of this API.
func groundFault(r *route.Request, err error) fault.Fault {
	f := fault.Common(r, err)
	var spent *limit.Exceeded
	if errors.As(err, &spent) {
		f.Domain = "usageLimits"
	}
	return f
}

// statusOf is the HTTP status and its canonical word.
func statusOf(c Code) (int, string) {
	switch c {
	case CodeForbidden, CodeAccessLevel, CodeCannotChange, CodeNotOfPrimary, CodeOnlyOfPrimary:
		return http.StatusForbidden, "PERMISSION_DENIED"
	case CodeQuota, CodeManyChannels:
		return http.StatusForbidden, "RESOURCE_EXHAUSTED"
	case CodeNotFound:
		return http.StatusNotFound, "NOT_FOUND"
	case CodeDuplicate:
		return http.StatusConflict, "ALREADY_EXISTS"
	case CodeDeleted, CodeFullSync, CodeUpdatedMin:
		return http.StatusGone, "FAILED_PRECONDITION"
	case CodeCondition:
		return http.StatusPreconditionFailed, "FAILED_PRECONDITION"
	case CodeInvalid, CodeRequired, CodeTimeRange, CodeChannelID, CodeChannelTTL, CodeChannelType, CodeNotHTTPS, CodeNoHost,
		CodeAddress, CodeCertificate:
		return http.StatusBadRequest, "INVALID_ARGUMENT"
	}
	return http.StatusInternalServerError, "INTERNAL"
}

// domainOf is the name space of a reason.
func domainOf(c Code) string {
	calendar := []Code{CodeTimeRange, CodeFullSync, CodeUpdatedMin, CodeAccessLevel, CodeCannotChange, CodeNotOfPrimary, CodeOnlyOfPrimary}
	switch {
	case slices.Contains(calendar, c):
		return "calendar"
	case c == CodeQuota || c == CodeManyChannels:
		return "usageLimits"
	}
	return "global"
}
