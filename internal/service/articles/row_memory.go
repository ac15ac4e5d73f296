package articles

import (
	"errors"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// rowMemory is memory of the process for the rows that are read for one answer. A
// nil one bounds nothing, for rows that no request asked for. Most answers are too
// light to take any.
type rowMemory struct {
	pool  *budget.Pool
	r     *route.Request
	grant *budget.Grant
}

// rowMemoryFactor is the memory that a byte of a row stands for: the row, and what
// is encoded of it.
const rowMemoryFactor = 2

func (s *Service) rowMemory(r *route.Request) *rowMemory {
	return &rowMemory{pool: s.world.Memory, r: r}
}

// take reserves memory for a row of so many bytes of text. Rows are read one by
// one, so that a list is refused before it is whole.
func (m *rowMemory) take(bytes int) error {
	if m == nil {
		return nil
	}
	if m.grant == nil {
		grant, err := m.pool.Take(m.r.Context(), m.r.Owner(), 0)
		if err != nil {
			return err
		}
		m.grant = grant
	}
	err := m.grant.Grow(rowMemoryFactor * int64(bytes))
	if errors.Is(err, wire.ErrTooLarge) {
		return &responseTooLargeError{err}
	}
	return err
}

func (m *rowMemory) release() {
	if m != nil {
		m.grant.Release()
	}
}

// responseTooLargeError means that rows are longer than all the memory that one
// caller may hold. The request is not at fault.
type responseTooLargeError struct{ cause error }

func (e *responseTooLargeError) Error() string { return "the answer: " + e.cause.Error() }

func (e *responseTooLargeError) Unwrap() error { return e.cause }
