package module

import (
	"context"
	"net/http"

	"google.golang.org/grpc"

	"stoa.dev/stoa/internal/platform/route"
)

// Fault is a named failure of a service, in its own words, that a rule of the lab
// can cause.
type Fault struct {
	// Name is the contract's or the vendor's word for it, in lower case with
	// underscores.
	Name string
	// Status is that of the answer; zero for remote procedures.
	Status int
	// Description says what the caller is told, and why, in one sentence.
	Description string
	// Operations are those that can meet it, by their names in the route table; empty
	// means all.
	Operations []string
	// Handle answers in place of the operation's handler. What it returns goes
	// through the service's envelope, as the error of the true refusal does.
	Handle route.Handler
	// Call answers a remote procedure in place of next.
	Call func(ctx context.Context, in any, next grpc.UnaryHandler) (any, error)
}

// Refuse is a Fault's Handle that returns an error.
func Refuse(err error) route.Handler {
	return func(http.ResponseWriter, *route.Request) error { return err }
}
