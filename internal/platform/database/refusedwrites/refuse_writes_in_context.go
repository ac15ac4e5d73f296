package refusedwrites

import "context"

// mark is the key in a context.
type mark struct{}

// With is a context in which every write fails with err.
func With(ctx context.Context, err error) context.Context {
	return context.WithValue(ctx, mark{}, err)
}

// Err is why nothing can be written in a context: it has ended, or writes are refused.
// It is nil otherwise.
func Err(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err, _ := ctx.Value(mark{}).(error)
	return err
}
