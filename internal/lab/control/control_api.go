package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/undocumented"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/telemetry"
)

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
