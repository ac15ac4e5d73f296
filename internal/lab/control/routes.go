package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/undocumented"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// Prefix is the path that the API lies below.
const Prefix = "/lab/v1"

// maxArchive bounds the file of an imported world.
const maxArchive = 4 << 30

// maxCreate lets in a seed file of any size that is read, as JSON writes it.
const maxCreate = 4 << 20

// Options are what the API is built on.
type Options struct {
	Lab       *lab.Lab
	Token     string
	Version   string
	Memory    *budget.Pool
	Telemetry *telemetry.Telemetry
}

// API answers the calls.
type API struct {
	lab   *lab.Lab
	token [sha256.Size]byte
	// version is the program's.
	version string
	// parameters are what services read of queries.
	parameters *undocumented.DocumentedParams
}

// New makes the handler of everything below Prefix.
func New(o Options) http.Handler {
	a := &API{lab: o.Lab, token: sha256.Sum256([]byte(o.Token)), version: o.Version, parameters: undocumented.New()}
	return route.New(route.Options{
		Service: "lab", WriteError: writeError, Extract: credential.Bearer(), Authenticate: a.authenticate,
		Clock: clock.Real(), IDs: ids.Random(), Memory: o.Memory, Requests: budget.New(budget.RequestOptions()),
		Telemetry: o.Telemetry, Before: a.nameVersion,
	}, a.Routes())
}

// VersionHeader names the program's version in every answer.
const VersionHeader = "Stoa-Version"

// nameVersion lets clients that were made for another version say so.
func (a *API) nameVersion(w http.ResponseWriter, _ *route.Request) error {
	w.Header().Set(VersionHeader, a.version)
	return nil
}

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

// holder is who has the lab's token.
type holder struct{}

func (holder) HasScope(string) bool { return true }
func (holder) LimitKey() string     { return "lab" }
func (holder) String() string       { return "lab token" }

func (a *API) authenticate(_ context.Context, c credential.Credential) (route.Caller, error) {
	given := sha256.Sum256([]byte(c.Value))
	if subtle.ConstantTimeCompare(given[:], a.token[:]) != 1 {
		return nil, &route.CredentialError{Reason: route.Unknown}
	}
	return holder{}, nil
}
