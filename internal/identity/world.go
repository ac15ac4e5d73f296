package identity

import "stoa.dev/stoa/internal/platform/world"

// OptionsFor fills in what a world provides. Scopes are based on the world's
// own address unless the caller configures another.
func OptionsFor(w *world.World) Options {
	o := Options{DB: w.DB, Clock: w.Clock, IDs: w.IDs, Log: w.Telemetry.Log, Dialect: w.Dialect, ScopeBase: w.URL}
	if w.Seal != nil {
		o.SealKey = w.Seal.Derive("identity/authorizations")
	}
	return o
}
