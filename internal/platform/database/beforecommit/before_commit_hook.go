package beforecommit

import "context"

// mark is the key in a context.
type mark struct{}

// With is a context in which every transaction calls fn at its end: what fn does is
// committed with the rest, and its error rolls all back. What an outer context adds follows it.
func With[Tx any](ctx context.Context, fn func(context.Context, Tx) error) context.Context {
	outer, ok := ctx.Value(mark{}).(func(context.Context, Tx) error)
	if !ok {
		return context.WithValue(ctx, mark{}, fn)
	}
	return context.WithValue(ctx, mark{}, func(ctx context.Context, tx Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return outer(ctx, tx)
	})
}

// Run runs the function of a transaction, and then what its context adds to it.
func Run[Tx any](ctx context.Context, tx Tx, fn func(context.Context, Tx) error) error {
	if err := fn(ctx, tx); err != nil {
		return err
	}
	if last, ok := ctx.Value(mark{}).(func(context.Context, Tx) error); ok {
		return last(ctx, tx)
	}
	return nil
}
