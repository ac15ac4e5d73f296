package seed

import (
	"context"
	"reflect"
)

// Section is one member of a seed file.
type Section struct {
	// Name is the member of the file.
	Name string
	// Description says what an element is, without a full stop.
	Description string

	element reflect.Type
	apply   func(ctx context.Context, r *Run, element any) error
	write   func(ctx context.Context) (list any, err error)
}

// NewSection is a section whose elements are values of T. apply adds one element;
// write finds those of a living world, in an order in which they can be applied. A nil
// write is for what cannot be read back: a written file says so in a comment.
func NewSection[T any](
	name, description string,
	apply func(ctx context.Context, r *Run, element T) error, write func(ctx context.Context) ([]T, error),
) Section {
	s := Section{
		Name: name, Description: description, element: reflect.TypeFor[T](),
		apply: func(ctx context.Context, r *Run, element any) error { return apply(ctx, r, element.(T)) },
	}
	if write != nil {
		s.write = func(ctx context.Context) (any, error) { return write(ctx) }
	}
	return s
}
