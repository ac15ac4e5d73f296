package faultrule

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/refusedwrites"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// retryTime is how long the answers of common faults ask to wait.
const retryTime = 30 * time.Second

// errCaused is why a request failed that a rule made fail; it is in the log only.
var errCaused = errors.New("a rule of the lab made this request fail")

// commonFaults are those that a service has without stating them: errors that its
// envelope answers already.
func commonFaults(service string, routes []route.Route, remote bool) []module.Fault {
	if remote {
		return remoteFaults()
	}
	signed := names(routes, func(r route.Route) bool { return r.Access != route.Open })
	scoped := names(routes, func(r route.Route) bool { return len(r.Scopes) > 0 })
	writing := names(routes, func(r route.Route) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead })
	list := []module.Fault{
		{
			Name: "unavailable", Description: "The service is not available and asks to come back in 30 seconds.",
			Handle: module.Refuse(&route.UnavailableError{RetryAfter: retryTime}),
		},
		{
			Name: "internal", Description: "The service failed; the answer says nothing of the cause.",
			Handle: module.Refuse(errCaused),
		},
		{
			Name: "rate_limited", Description: "The caller's budget is used up for 30 seconds.",
			Handle: module.Refuse(&limit.Exceeded{Decision: limit.Decision{
				Name: service + ".requests", Limit: 60, Used: 60, RetryAfter: retryTime,
			}}),
		},
		{
			Name: "deadline_exceeded", Description: "The operation took longer than it may.",
			Handle: module.Refuse(route.ErrDeadline),
		},
	}
	reading := names(routes, func(r route.Route) bool { return r.Method == http.MethodGet })
	list = append(list, answerFaults(reading)...)
	for _, f := range []module.Fault{
		{
			Name: "credential_expired", Description: "The caller's credential has expired.", Operations: signed,
			Handle: module.Refuse(&route.CredentialError{Reason: route.Expired}),
		},
		{
			Name: "credential_revoked", Description: "The caller's credential was revoked.", Operations: signed,
			Handle: module.Refuse(&route.CredentialError{Reason: route.Revoked}),
		},
		{
			Name: "scope_missing", Description: "The caller's credential lacks the scope that the operation needs.",
			Operations: scoped,
			Handle: func(_ http.ResponseWriter, r *route.Request) error {
				return &route.ScopeError{Needed: r.Route.Scopes}
			},
		},
		{
			Name: "disk_full", Description: "The operation runs, and the store has no place for what it writes.",
			Operations: writing, Handle: refusingWrites(database.ErrDiskFull),
		},
		{
			Name: "store_busy", Description: "The operation runs, and the store refuses what it writes.",
			Operations: writing, Handle: refusingWrites(database.ErrBusy),
		},
	} {
		if len(f.Operations) > 0 {
			list = append(list, f)
		}
	}
	return list
}

// refusingWrites runs the operation on a store that refuses to write.
func refusingWrites(err error) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return r.Route.Handle(w, r.InContext(refusedwrites.With(r.Context(), err)))
	}
}

// remoteFaults are the common faults of remote procedures.
func remoteFaults() []module.Fault {
	return []module.Fault{
		{
			Name: "unavailable", Description: "The call ends with UNAVAILABLE.",
			Call: refuseCall(codes.Unavailable, "the service is not available"),
		},
		{
			Name: "internal", Description: "The call ends with INTERNAL.",
			Call: refuseCall(codes.Internal, "internal error; the log names the cause"),
		},
		{
			Name: "rate_limited", Description: "The call ends with RESOURCE_EXHAUSTED.",
			Call: refuseCall(codes.ResourceExhausted, "too many calls at once; try again"),
		},
		{
			Name: "deadline_exceeded", Description: "The call ends with DEADLINE_EXCEEDED.",
			Call: refuseCall(codes.DeadlineExceeded, "the call took too long"),
		},
	}
}

func refuseCall(code codes.Code, message string) func(context.Context, any, grpc.UnaryHandler) (any, error) {
	return func(context.Context, any, grpc.UnaryHandler) (any, error) { return nil, status.Error(code, message) }
}

// recorder notes the procedures that a module registers.
type recorder map[string]bool

// RegisterService implements grpc.ServiceRegistrar.
func (r recorder) RegisterService(d *grpc.ServiceDesc, _ any) {
	for _, m := range d.Methods {
		r[m.MethodName] = true
	}
}

// procedures are the names of a module's remote procedures.
func procedures(m module.Module) map[string]bool {
	found := recorder{}
	m.RegisterRPC(found)
	return found
}

// names are those of the routes that fit.
func names(routes []route.Route, fits func(route.Route) bool) []string {
	var list []string
	for _, r := range routes {
		if fits(r) && !slices.Contains(list, r.Name) {
			list = append(list, r.Name)
		}
	}
	return list
}
