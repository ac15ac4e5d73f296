package control

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// handleClock shows a world's clock.
func (a *API) handleClock(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, toClock(world.Clock()))
}

// handleSetClock changes how a world's clock moves and where it stands.
func (a *API) handleSetClock(w http.ResponseWriter, r *route.Request) error {
	var in clockJSON
	if err := read(r, &in); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	if err := world.SetClock(r.Context(), in.change()); err != nil {
		return err
	}
	mode, _ := world.Clock().Mode()
	describeAct(w, world.Name(), string(mode)+" at "+world.Clock().Now().UTC().Format(time.RFC3339))
	return wire.WriteJSON(w, r.Request, http.StatusOK, toClock(world.Clock()))
}

// handleAdvance moves the clock on, runs what falls due on the way and tells what ran.
func (a *API) handleAdvance(w http.ResponseWriter, r *route.Request) error {
	var in advanceJSON
	if err := read(r, &in); err != nil {
		return err
	}
	if in.By.set == (in.To != nil) {
		return &lab.Error{
			Code: lab.CodeInvalid, Message: "name one of by and to",
			Next: `send {"by":"1h"} or {"to":"2026-03-01T09:00:00Z"}`,
		}
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	var moved lab.AdvanceResult
	if in.By.set {
		moved, err = world.AdvanceBy(r.Context(), in.By.Duration)
	} else {
		moved, err = world.Advance(r.Context(), *in.To)
	}
	if err != nil {
		return err
	}
	describeAct(w, world.Name(), moved.From.UTC().Format(time.RFC3339)+" to "+moved.To.UTC().Format(time.RFC3339))
	return wire.WriteJSON(w, r.Request, http.StatusOK, toAdvanceResult(moved))
}

// handleSettle runs what is due now, waits for it and tells what ran.
func (a *API) handleSettle(w http.ResponseWriter, r *route.Request) error {
	if err := read(r, &struct{}{}); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	moved, err := world.Settle(r.Context())
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, toAdvanceResult(moved))
}
