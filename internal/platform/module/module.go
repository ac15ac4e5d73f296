package module

import (
	"context"
	"net/http"

	"google.golang.org/grpc"

	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/ownership"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/seed"
)

// Module is one service as the app sees it.
type Module struct {
	// Name is the package name, one lower-case noun.
	Name string
	// Title is the name that pages and commands show.
	Title string
	// Letter is the contract's letter, A to M.
	Letter string

	// Prefixes are the path prefixes the service owns on the common listener;
	// everything below one, unknown paths too, is answered by Handler.
	Prefixes []string
	// Hosts are host patterns ("name", "*.name") the service owns in addition.
	Hosts []string
	// Unowned serves a request for a path that no module owns, and reports whether it does;
	// nil serves none.
	Unowned func(http.ResponseWriter, *http.Request) bool
	// UnownedRoutes is the table behind Unowned.
	UnownedRoutes []route.Route
	// Handler serves the owned prefixes and hosts.
	Handler http.Handler
	// API says what the API family needs to know of a service that belongs to it; nil for others.
	API *API
	// Routes is the contract's operation table, for docs and coverage.
	Routes []route.Route
	// RegisterRPC adds the service's remote procedures to a gRPC server.
	RegisterRPC func(grpc.ServiceRegistrar)
	// RPCOverTCP offers them on the common listener too, for callers with a
	// token or a client certificate; without it they are on the socket alone.
	RPCOverTCP bool

	// Migrations create and change the service's tables.
	Migrations database.Migrations
	// Jobs are the kinds of background work the service runs.
	Jobs []jobs.Registration
	// Start runs once after migrations, before the listener opens. What it
	// starts must end when the context does or in Close.
	Start func(context.Context) error
	// Work is Start for a process that serves no requests and only takes jobs from
	// the shared database (stoa worker); nil means there are none to take.
	Work func(context.Context) error
	// Settle waits for work of the service that is not in the queue of jobs, and
	// says whether there was some; nil means there is none.
	Settle func(context.Context) (waited bool, err error)
	// Busy reports whether there is such work, without waiting; nil means there is none.
	Busy func(context.Context) (bool, error)
	// Close ends what the service holds. It runs in reverse module order.
	Close func() error

	// Immutable are the files below the data folder that never change once they
	// have their name, as patterns such as "git/*/objects/**": copies of a world
	// share them.
	Immutable []string

	// Conduct is what the service asks of its clients, for the lab to judge them by.
	Conduct []conduct.Rule
	// Faults are the failures that a rule of the lab can cause by name, beside those
	// that every service has.
	Faults []Fault

	// Resources are the things that the service holds, for the console to show and to
	// change through the service's own operations.
	Resources []resource.Resource

	// Owned says what belongs to users, organizations and teams, for when they are removed.
	Owned []ownership.Rows

	// Scopes a token for this service can carry.
	Scopes []Scope
	// Keys are the kinds of keys that the service takes, and takes instead of tokens. A
	// service without keys takes tokens of its scopes.
	Keys []CredentialKind
	// TokenFormat is what a token of a kind looks like; nil means the zero Format.
	TokenFormat func(CredentialKind) Format
	// KeyFormat is what an API key looks like; zero means 32 hexadecimal characters.
	KeyFormat Format
	// Check reports whether the service can do its work; nil means it can.
	Check func(context.Context) error

	// Verify looks for damage in what the service keeps beside its rows; nil means that
	// there is nothing of the kind. Verified names one of the things, as in "repository".
	Verify   Verify
	Verified string
	// Blobs are the rows that need an object of the blob store, and Sealed those that hold a
	// value under the root key: stoa check looks for the objects and opens the values.
	Blobs  []BlobRows
	Sealed []SealedRows

	// Commands the service adds to the command line.
	Commands []Command
	// CommandGroups describe the first words of Commands.
	CommandGroups []CommandGroup
	// Demo adds sample data to the demo world.
	Demo func(context.Context, *Demo) error
	// Seeds are the sections of a seed file that hold the service's data.
	Seeds []seed.Section
	// DemoCredentials are those of the demo world that open the service.
	DemoCredentials []DemoCredential
	// Example is the first call a newcomer makes.
	Example Example
}

// Scope is one permission, with the text that a consent page shows for it.
type Scope struct {
	// Name is the scope as the contract prints it, without the scope base.
	Name string
	// Based scopes are written <scope base>/auth/NAME, others are bare words.
	Based bool
	// Description says what the scope allows, as in "see your task lists".
	Description string
	// Operator scopes are granted by the operator alone, on the command line: no
	// page, application or flow grants them.
	Operator bool
}

// Example is a shell command that works against a demo world. It may use the
// variables of demo.env, such as $STOA_URL.
type Example struct {
	// Credential names the variable that holds what the command presents.
	Credential string
	// Shell is the command line.
	Shell string
	// Note warns of a side effect of the command.
	Note string
}

// Demo is what a module's Demo function may build on.
type Demo struct {
	// Env is what demo.env will hold; a module may add its own names.
	Env map[string]string
	// User owns the demo data; Guest is a second, unrelated user.
	User, Guest string
	// Team is a team and an organization of the same name, owned by User.
	Team string
}
