package snapshots

import (
	"context"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

// Places of evaluations: a query or the drawing of a picture takes one.
const (
	evaluations         = 8
	evaluationsPerOwner = 2
	evaluationWait      = 10 * time.Second
	evaluationsPool     = Name + ".evaluations"
)

func newPlaces() *budget.Pool {
	return budget.New(budget.Options{
		Name: evaluationsPool, Total: evaluations, PerOwner: evaluationsPerOwner, Wait: evaluationWait,
	})
}

// evaluation is a place among those that evaluate at once, and the memory that
// it has taken.
type evaluation struct{ place, memory *budget.Grant }

// evaluate waits for a place; owners take turns. The evaluation must be
// released once what it made is no longer needed.
func (s *Service) evaluate(ctx context.Context, t Tenant) (*evaluation, error) {
	place, err := s.places.Take(ctx, t.owner(), 1)
	if err != nil {
		return nil, err
	}
	memory, err := s.world.Memory.Take(ctx, t.owner(), 0)
	if err != nil {
		place.Release()
		return nil, err
	}
	return &evaluation{place, memory}, nil
}

// reserve takes memory before it is used.
func (e *evaluation) reserve(bytes int64) error { return e.memory.Grow(bytes) }

func (e *evaluation) release() {
	e.memory.Release()
	e.place.Release()
}

// owner is whose share of the process a tenant uses: that of the user behind
// the key, as for the bodies of requests, or that of the team.
func (t Tenant) owner() budget.Owner {
	if id, ok := strings.CutPrefix(t.Org, "u"); ok {
		return budget.Caller("user:" + id)
	}
	return budget.Caller(Name + ":" + t.Org)
}
