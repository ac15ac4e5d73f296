package control

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/expect"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// handleExpect says whether calls were made as expected, and what came nearest.
func (a *API) handleExpect(w http.ResponseWriter, r *route.Request) error {
	var in expectJSON
	if err := read(r, &in); err != nil {
		return err
	}
	e, err := in.expectation()
	if err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	if err := a.checkCalls(world, e.Calls); err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, a.toVerdict(expect.Check(world.Journal(), e)))
}

// checkCalls refuses names that no request can have: an expectation of no calls would
// be met for ever. What is in the journal exists, whatever the catalogue says.
func (a *API) checkCalls(world *lab.World, calls journal.Filter) error {
	err := a.lab.Catalogue().CheckNames("calls.", calls.Service, calls.Operation)
	var refused *faultrule.Error
	if !errors.As(err, &refused) {
		return err
	}
	names := journal.Filter{Service: calls.Service, Operation: calls.Operation}
	for r := range world.Journal().OldestFirst() {
		if names.Match(r) {
			return nil
		}
	}
	return invalid(refused.Next, refused.Member+": "+refused.Message)
}
