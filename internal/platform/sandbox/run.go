package sandbox

import (
	"context"
	"fmt"
)

// Check says in words why no program can be run here and what to do about it.
func (s *Sandbox) Check(context.Context) error {
	return fmt.Errorf("%w: the engine is not built in yet", ErrUnavailable)
}

// Run runs one program to its end. The error is about the sandbox; what the
// program did is in Exit. A cancelled context kills the run and returns the
// context's cause.
func (s *Sandbox) Run(context.Context, Spec) (Exit, error) {
	return Exit{}, fmt.Errorf("%w: the engine is not built in yet", ErrUnavailable)
}
