package world

import "stoa.dev/stoa/internal/platform/route"

// RouteOptions are the options of one mux, with what all muxes of a world share filled in.
func (w *World) RouteOptions(o route.Options) route.Options {
	o.Clock, o.IDs, o.Telemetry = w.Clock, w.IDs, w.Telemetry
	o.Memory, o.Requests = w.Memory, w.Requests
	o.FaultRules, o.Journal = w.FaultRules, w.Journal
	return o
}
