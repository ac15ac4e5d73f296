package audit

import "context"

// Server is the actor of work that neither a request nor a command asked for.
const Server = "server"

// Actor is who acts.
type Actor struct {
	// Name is the user's, or says which program it is; empty for anonymous callers.
	Name string
	// Credential is what the actor showed, such as "session 12" or "personal token 7".
	Credential string
	// Network is where the request came from, as limits count it.
	Network string
	// Request is the id of the request.
	Request string
}

// Source says who acts; it is asked when something is recorded.
type Source interface{ Actor() Actor }

// Actor makes every Actor a Source of itself.
func (a Actor) Actor() Actor { return a }

type actorKey struct{}

// With is a context for what the actor does.
func With(ctx context.Context, s Source) context.Context {
	return context.WithValue(ctx, actorKey{}, s)
}

// Known reports whether the context says who acts.
func Known(ctx context.Context) bool { return ctx.Value(actorKey{}) != nil }

// From is who acts in the context.
func From(ctx context.Context) Actor {
	if s, ok := ctx.Value(actorKey{}).(Source); ok {
		return s.Actor()
	}
	return Actor{Name: Server}
}
