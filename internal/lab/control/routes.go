package control

import (
	"net/http"
	"slices"

	"stoa.dev/stoa/internal/platform/route"
)

// Prefix is the path that the API lies below.
const Prefix = "/lab/v1"

// maxArchive bounds the file of an imported world.
const maxArchive = 4 << 30

// maxCreate lets in a seed file of any size that is read, as JSON writes it.
const maxCreate = 4 << 20

// Routes is the table of operations.
func (a *API) Routes() []route.Route {
	const world = Prefix + "/worlds/{world}"
	routes := []route.Route{
		{
			Method: "POST", Pattern: Prefix + "/worlds", Name: "worlds.create", Handle: a.handleCreate, Timeout: longTime,
			MaxBody: maxCreate,
		},
		{Method: "GET", Pattern: Prefix + "/worlds", Name: "worlds.list", Handle: a.handleList},
		{
			Method: "POST", Pattern: Prefix + "/worlds/import", Name: "worlds.import", Handle: a.handleImport,
			MaxBody: maxArchive, Spools: true, Streams: true,
		},
		{Method: "GET", Pattern: world, Name: "worlds.get", Handle: a.handleGet},
		{Method: "DELETE", Pattern: world, Name: "worlds.delete", Handle: a.handleDelete},
		{Method: "POST", Pattern: world + "/fork", Name: "worlds.fork", Handle: a.handleFork, Timeout: longTime},
		{Method: "POST", Pattern: world + "/reset", Name: "worlds.reset", Handle: a.handleReset, Timeout: longTime},
		{Method: "POST", Pattern: world + "/sleep", Name: "worlds.sleep", Handle: a.handleSleep},
		{Method: "POST", Pattern: world + "/wake", Name: "worlds.wake", Handle: a.handleWake},
		{Method: "GET", Pattern: world + "/export", Name: "worlds.export", Handle: a.handleExport, Streams: true},
		{
			Method: "POST", Pattern: world + "/snapshots", Name: "snapshots.create", Handle: a.handleSave,
			Timeout: longTime,
		},
		{Method: "GET", Pattern: Prefix + "/snapshots", Name: "snapshots.list", Handle: a.handleSnapshots},
		{
			Method: "DELETE", Pattern: Prefix + "/snapshots/{snapshot}", Name: "snapshots.delete",
			Handle: a.handleDeleteSnapshot,
		},
		{Method: "GET", Pattern: world + "/clock", Name: "clock.get", Handle: a.handleClock},
		{Method: "PATCH", Pattern: world + "/clock", Name: "clock.patch", Handle: a.handleSetClock},
		{
			Method: "POST", Pattern: world + "/clock/advance", Name: "clock.advance", Handle: a.handleAdvance,
			Timeout: longTime,
		},
		{
			Method: "POST", Pattern: world + "/clock/settle", Name: "clock.settle", Handle: a.handleSettle,
			Timeout: longTime,
		},
		{Method: "GET", Pattern: Prefix + "/faults/catalog", Name: "faults.catalog", Handle: a.handleCatalog},
		{Method: "POST", Pattern: world + "/faults", Name: "faults.create", Handle: a.handleAddFault},
		{Method: "GET", Pattern: world + "/faults", Name: "faults.list", Handle: a.handleFaults},
		{Method: "DELETE", Pattern: world + "/faults", Name: "faults.clear", Handle: a.handleClearFaults},
		{Method: "DELETE", Pattern: world + "/faults/{fault}", Name: "faults.delete", Handle: a.handleDeleteFault},
	}
	routes = append(routes,
		route.Route{Method: "GET", Pattern: Prefix + "/conduct/rules", Name: "conduct.rules", Handle: a.handleRules},
		route.Route{Method: "GET", Pattern: world + "/conduct", Name: "conduct.get", Handle: a.handleConduct})
	routes = append(routes, a.inboxRoutes(world)...)
	routes = append(routes, a.requestRoutes()...)
	routes = append(routes,
		route.Route{Method: "GET", Pattern: Prefix + "/audit", Name: "audit.list", Handle: a.handleAudit})
	for i := range routes {
		routes[i].Access = route.Required
		if routes[i].Method != http.MethodGet && !slices.Contains(readOnly(), routes[i].Name) {
			routes[i].Handle = a.recorded(routes[i].Name, routes[i].Handle)
		}
	}
	return routes
}
