package budget

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/platform/wire"
)

// StepsError means that a piece of work would take more steps than a request
// may spend. It unwraps to a *wire.SyntaxError: the request asks for too much.
type StepsError struct {
	// Limit is how many steps there were.
	Limit int64
}

// Error names the bound.
func (e *StepsError) Error() string {
	return "the request takes more than " + strconv.FormatInt(e.Limit, 10) + " steps of work; ask for less"
}

// Unwrap makes every envelope answer it as a refusal of the content.
func (e *StepsError) Unwrap() error { return &wire.SyntaxError{Reason: e.Error()} }

// checkEvery is how many steps pass between two looks at the context.
const checkEvery = 1024

// Steps counts the steps of one piece of work. It is not safe for concurrent
// use. A nil Steps counts nothing.
type Steps struct {
	ctx   context.Context
	limit int64
	left  int64
	check int64
}

// NewSteps allows n steps while the context lasts.
func NewSteps(ctx context.Context, n int64) *Steps {
	return &Steps{ctx: ctx, limit: n, left: n, check: checkEvery}
}

// Take spends n steps. Its error is a *StepsError, or the context's.
func (s *Steps) Take(n int64) error {
	if s == nil {
		return nil
	}
	if s.left -= n; s.left < 0 {
		return &StepsError{Limit: s.limit}
	}
	if s.check -= n; s.check <= 0 {
		s.check = checkEvery
		return context.Cause(s.ctx)
	}
	return nil
}

// Left is how many steps remain.
func (s *Steps) Left() int64 {
	if s == nil {
		return 0
	}
	return max(s.left, 0)
}
