package seed

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
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

// Run is what applying a file may use and adds to.
type Run struct {
	// Env are the variables that name what was made, such as the secret of a token.
	Env map[string]string
	// Files are those below a folder that the file names, by their path with slashes.
	Files func(folder string) (map[string]string, error)
}

// variable is the form of a name in Env.
var variable = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,99}$`)

// Set gives a value the name that the file asks for.
func (r *Run) Set(name, value string) error {
	if !variable.MatchString(name) {
		return fmt.Errorf("%q is not the name of a variable: use A-Z, 0-9 and _", name)
	}
	if _, taken := r.Env[name]; taken {
		return fmt.Errorf("there is a variable %s already", name)
	}
	r.Env[name] = value
	return nil
}
