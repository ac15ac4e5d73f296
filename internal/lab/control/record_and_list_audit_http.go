package control

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/lab/audittrail"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// readOnly are the operations that change nothing although they are not GET.
func readOnly() []string { return []string{"expect"} }

// act is the answer of a call together with what the call says about itself for the
// trail.
type act struct {
	http.ResponseWriter
	object, detail string
}

// Unwrap lets the server reach the connection.
func (a *act) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// describeAct says what a call was about, where its address does not.
func describeAct(w http.ResponseWriter, object, detail string) {
	if a, ok := w.(*act); ok {
		a.object, a.detail = object, detail
	}
}

// recorded is the handler of an operation whose calls are on record, however they end.
func (a *API) recorded(name string, next route.Handler) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		said := &act{ResponseWriter: w, object: objectOf(r), detail: detailOf(r)}
		err := next(said, r)
		e := audit.Entry{Action: name, Object: said.object, Outcome: audit.Done, Detail: said.detail}
		if err != nil {
			status, body := describe(r, err)
			e.Outcome, e.Detail = audit.Refused, body.Code
			if status >= http.StatusInternalServerError {
				e.Outcome = audit.Failed
			}
		}
		a.lab.Record(r.Context(), e)
		return err
	}
}

// objectOf is the world or the snapshot that the address names.
func objectOf(r *route.Request) string {
	if world := r.PathValue("world"); world != "" {
		return world
	}
	return r.PathValue("snapshot")
}

// detailOf is what else the address names.
func detailOf(r *route.Request) string {
	var parts []string
	for _, name := range resource.Parameters(r.Route.Pattern) {
		if !slices.Contains([]string{"world", "snapshot"}, name) {
			parts = append(parts, name+" "+r.PathValue(name))
		}
	}
	return strings.Join(parts, ", ")
}

// actJSON is one act on record.
type actJSON audit.Entry

type auditJSON struct {
	Entries       []actJSON `json:"entries"`
	NextPageToken string    `json:"nextPageToken,omitempty"`
}

// handleAudit lists what was done through this API, newest first.
func (a *API) handleAudit(w http.ResponseWriter, r *route.Request) error {
	q := r.Query()
	for name := range q {
		if !slices.Contains([]string{"world", "action", "limit", "pageToken"}, name) {
			return invalid("use world, action, limit and pageToken", "there is no parameter "+strconv.Quote(name))
		}
	}
	limit, before, err := readPage(q)
	if err != nil {
		return err
	}
	f := audittrail.Filter{World: q.Get("world"), Action: q.Get("action"), Limit: limit, Before: int64(min(before, 1<<62))}
	list, more, err := a.lab.Acts(f)
	if err != nil {
		return err
	}
	out := auditJSON{Entries: make([]actJSON, 0, len(list))}
	for _, e := range list {
		out.Entries = append(out.Entries, actJSON(e))
	}
	if more {
		out.NextPageToken = strconv.FormatInt(list[len(list)-1].ID, 10)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}
