package control

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// namedFaultJSON is one fault of the catalogue.
type namedFaultJSON struct {
	Service     string   `json:"service"`
	Name        string   `json:"name"`
	Status      int      `json:"status,omitempty"`
	Description string   `json:"description"`
	Operations  []string `json:"operations"`
}

type catalogJSON struct {
	Faults []namedFaultJSON `json:"faults"`
}

type faultsJSON struct {
	Faults []faultrule.Status `json:"faults"`
}

// handleCatalog lists the named failures that rules can cause, of one service or of all.
func (a *API) handleCatalog(w http.ResponseWriter, r *route.Request) error {
	out, err := Catalog(a.lab.Catalogue(), r.Query().Get("service"))
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// Catalog is the answer with the named failures of one service, or of all; stoa fault catalog prints it without a lab.
func Catalog(c *faultrule.Catalogue, asked string) (any, error) {
	out := catalogJSON{Faults: []namedFaultJSON{}}
	for _, service := range c.Services() {
		if asked != "" && asked != service {
			continue
		}
		for _, f := range c.Faults(service) {
			out.Faults = append(out.Faults, namedFaultJSON{
				Service: service, Name: f.Name, Status: f.Status, Description: f.Description,
				Operations: append([]string{}, f.Operations...),
			})
		}
	}
	if len(out.Faults) == 0 {
		return nil, &lab.Error{
			Code: lab.CodeNotFound, Message: "there is no service " + asked,
			Next: strings.TrimSpace(c.NearService(asked) + " leave service out to see all"),
		}
	}
	return out, nil
}

// handleAddFault adds a rule that makes requests, messages, jobs or calls fail.
func (a *API) handleAddFault(w http.ResponseWriter, r *route.Request) error {
	var rule faultrule.Rule
	if err := readSome(r, &rule); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	added, err := world.Faults().Add(rule)
	if err != nil {
		return err
	}
	describeAct(w, world.Name(), "fault "+added.ID)
	return wire.WriteJSON(w, r.Request, http.StatusCreated, added)
}

// handleFaults lists the rules of a world and how often each was met.
func (a *API) handleFaults(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, faultsJSON{Faults: world.Faults().List()})
}

// handleDeleteFault removes one rule.
func (a *API) handleDeleteFault(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	if err := world.RemoveFault(r.PathValue("fault")); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// handleClearFaults removes all rules of a world.
func (a *API) handleClearFaults(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	world.Faults().Clear()
	wire.NoContent(w, http.StatusNoContent)
	return nil
}
