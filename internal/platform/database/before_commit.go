package database

import "context"

type beforeCommit struct{}

// BeforeCommit is a context in which every Write calls fn at its end, inside of the
// transaction: what fn does is committed with the rest, and its error rolls all back.
func BeforeCommit(ctx context.Context, fn TxFunc) context.Context {
	return context.WithValue(ctx, beforeCommit{}, fn)
}

// withBeforeCommit is the function of a Write with what its context adds to it.
func withBeforeCommit(ctx context.Context, fn TxFunc) TxFunc {
	last, ok := ctx.Value(beforeCommit{}).(TxFunc)
	if !ok {
		return fn
	}
	return func(ctx context.Context, tx *Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return last(ctx, tx)
	}
}
