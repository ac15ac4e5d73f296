package wirefault

import "context"

// mark is the key in a context.
type mark struct{}

// Mark is a context of work that a fault changes, for what is asked deep inside.
func Mark(ctx context.Context, fault string) context.Context {
	return context.WithValue(ctx, mark{}, fault)
}

// Marked is the name of the fault that changes the work of a context, empty for none.
func Marked(ctx context.Context) string {
	name, _ := ctx.Value(mark{}).(string)
	return name
}
