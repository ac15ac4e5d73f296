package console

import (
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// requestList is the recent requests, newest first.
type requestList struct{ Rows []requestRow }

type requestRow struct {
	Time, Service, Method, Path, Status, Class, Reason, Duration, Caller, ID string
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
	return requestRow{
		Time: e.Time.UTC().Format("15:04:05"), Service: e.Service, Method: e.Method, Path: e.Path,
		Status: strconv.Itoa(e.Status), Class: requestpages.Class(e.Status), Reason: e.Reason,
		Duration: requestpages.Duration(e.Duration), Caller: e.Caller, ID: e.ID,
	}
}
