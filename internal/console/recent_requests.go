package console

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/wire"
)

// requestList is the recent requests, newest first.
type requestList struct{ Rows []requestRow }

type requestRow struct {
	Time, Service, Method, Path, Status, Class, Reason, Duration, Caller, ID string
}

// handleRequests is the list alone, which the page's script fetches.
func (c *Console) handleRequests(w http.ResponseWriter, r *route.Request, v viewer) error {
	if !v.user.Admin {
		return route.ErrNoRoute
	}
	var out bytes.Buffer
	if err := c.templates.pages["home"].ExecuteTemplate(&out, "requests", c.requests()); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/html; charset=utf-8", out.Bytes())
}

// requests are the recent requests to services; those for pages are left out.
func (c *Console) requests() *requestList {
	list := &requestList{}
	for _, e := range c.world.Telemetry.Recent() {
		if !slices.ContainsFunc(c.modules, func(m module.Module) bool { return m.Name == e.Service }) {
			continue
		}
		list.Rows = append(list.Rows, newRequestRow(e))
		if len(list.Rows) == maxRequests {
			break
		}
	}
	return list
}

func newRequestRow(e telemetry.Entry) requestRow {
	class := "fine"
	switch {
	case e.Status >= 500:
		class = "bad"
	case e.Status >= 400:
		class = "refused"
	}
	return requestRow{
		Time: e.Time.UTC().Format("15:04:05"), Service: e.Service, Method: e.Method, Path: e.Path,
		Status: strconv.Itoa(e.Status), Class: class, Reason: e.Reason, Duration: formatDuration(e.Duration),
		Caller: e.Caller, ID: e.ID,
	}
}

// formatDuration rounds to the microsecond below a millisecond, else to a tenth
// of a millisecond.
func formatDuration(d time.Duration) string {
	if d < time.Millisecond {
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	}
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}
