package registry

import (
	"context"
	"io"

	"stoa.dev/stoa/internal/platform/budget"
)

// Task is the piece of work that fetches are made for.
type Task struct {
	// Kind is the ecosystem: two kinds on one host do not wait for each other.
	Kind Kind
	// Package is what is asked about; one package has few places on a host.
	Package string
	// Owner is whose share of places is used.
	Owner budget.Owner
	// Memory is what the answers and what is made of them take; nil takes none.
	Memory *budget.Grant
}

type taskKey struct{}

// WithTask says for which piece of work the fetches of a context are made.
func WithTask(ctx context.Context, t Task) context.Context {
	return context.WithValue(ctx, taskKey{}, t)
}

// taskOf is the task of a context; work without a request has none.
func taskOf(ctx context.Context) Task {
	if t, ok := ctx.Value(taskKey{}).(Task); ok {
		return t
	}
	return Task{Owner: budget.Caller("")}
}

// Charge takes memory for what is about to be made of an answer. It is given
// back when the task ends.
func Charge(ctx context.Context, bytes int64) error {
	t := taskOf(ctx)
	if t.Memory == nil {
		return nil
	}
	return t.Memory.Grow(bytes)
}

// bodyWeight is how many bytes of memory a byte of an answer stands for: the
// buffer, and the one it grew out of.
const bodyWeight = 2

// charged takes memory for what is read before it is kept.
type charged struct {
	ctx context.Context
	r   io.Reader
	// refused is why there was no memory.
	refused error
}

func (c *charged) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if c.refused = Charge(c.ctx, int64(n)*bodyWeight); c.refused != nil {
		return 0, c.refused
	}
	return n, err
}
