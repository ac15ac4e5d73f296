package route

import (
	"context"
	"iter"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/journal/explain"
	"stoa.dev/stoa/internal/platform/route/cors"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// CORS lets browsers on other origins call.
type CORS = cors.Policy

// Handler serves one operation. It either writes an answer and returns nil, or
// returns an error and writes nothing; the Mux then writes the error.
type Handler func(w http.ResponseWriter, r *Request) error

// Caller is who a credential belongs to.
type Caller interface {
	// HasScope reports whether the credential carries the scope.
	HasScope(scope string) bool
	// LimitKey names the budget that the caller's requests are charged to.
	LimitKey() string
	// String is for the log and never a secret.
	String() string
}

// Access says how a route treats credentials.
type Access int

// Open ignores a credential. Optional refuses a bad one and
// takes none as anonymous. Required refuses both.
const (
	Open Access = iota
	Optional
	Required
)

// Route is one operation.
type Route struct {
	// Method is the HTTP method; GET also serves HEAD. Empty means any.
	Method string
	// Pattern is a path in the syntax of http.ServeMux without method and host.
	// Its last segment may be "{x}:verb": routes with different verbs and the
	// plain "{x}" share the prefix, the segment is split at its last colon, and
	// "x" is what precedes it.
	Pattern string
	// First lets the route win over patterns that overlap with it.
	First bool
	// Name is the operation's name in the contract; log and metrics use it.
	Name string

	// Access says who may call.
	Access Access
	// Scopes of which the caller needs any one. Empty needs none.
	Scopes []string
	// Extract overrides Options.Extract.
	Extract credential.Extractor

	// MaxBody is the largest body in bytes; 0 means Options.MaxBody, a negative
	// one no limit (the handler then bounds what it reads).
	MaxBody int64
	// Timeout bounds the handler; 0 means Options.Timeout.
	Timeout time.Duration
	// Streams frees the handler from the deadline.
	Streams bool
	// Spools means that the handler writes the body to disk as it comes, so
	// that its size takes no memory.
	Spools bool

	Refuses bool // Refuses means that the route only says no: its method is not offered.
	// Unlisted keeps what a page asks for by itself out of the list of recent requests.
	Unlisted bool

	// Handle serves the operation.
	Handle Handler
	// Parameters are those of the query that are read around Handle, for descriptions.
	Parameters []string
	// Tags are facts that others look for, such as the limit class.
	Tags map[string]string
}

// Options is what all routes of a Mux share.
type Options struct {
	// Service is the service's name in log and metrics.
	Service string
	// WriteError is the envelope. It must answer every error of CommonErrors and treat
	// any other as an internal failure. It logs nothing: the Mux does, for every
	// status of 500 and above.
	WriteError func(w http.ResponseWriter, r *Request, err error)
	// Faults are the statuses that this envelope gives to failures of the server
	// besides 500 to 511, for contracts that renumber them.
	Faults []int

	// Extract finds the credential; Authenticate resolves it. A refusal is a
	// *CredentialError.
	Extract      credential.Extractor
	Authenticate func(ctx context.Context, c credential.Credential) (Caller, error)
	// Gate admits the request after authentication; it may set headers. The
	// returned function, if any, runs when the request is done.
	Gate func(w http.ResponseWriter, r *Request) (release func(), err error)
	// Before runs first for every request of the Mux, failing ones too.
	Before func(w http.ResponseWriter, r *Request) error
	// CORS allows browsers on other origins; nil allows none.
	CORS *CORS

	// FaultRules make chosen requests fail; nil leaves all alone.
	FaultRules FaultRules

	// MaxBody is the default body limit in bytes (1 MiB).
	MaxBody int64
	// Timeout is the default deadline (30 s). MoreTime is added to all, where a busy machine must not show.
	Timeout, MoreTime time.Duration

	// Journal keeps the requests; nil keeps none. Explain says more there of refused credentials.
	Journal *journal.Journal
	Explain explain.Headers

	// Clock stamps Request.Start; IDs makes request ids; Memory is what bodies
	// are weighed against. They are required, and so is Requests.
	Clock  clock.Clock
	IDs    *ids.Source
	Memory *budget.Pool
	// Requests bounds how many are worked on at once, of one owner and in all.
	// Routes that stream are not counted.
	Requests *budget.Pool
	// Telemetry takes log and metrics; nil means none.
	Telemetry *telemetry.Telemetry
}

// Patterns are the methods and patterns of a table.
func Patterns(routes []Route) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range routes {
			if !yield(routes[i].Method, routes[i].Pattern) {
				return
			}
		}
	}
}
