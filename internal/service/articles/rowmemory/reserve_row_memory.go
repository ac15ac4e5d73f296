package rowmemory

import (
	"errors"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	counted "stoa.dev/stoa/internal/platform/database/rowmemory"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Memory is memory of the process for the rows that are read for one answer. A
// nil one bounds nothing, for rows that no request asked for. Most answers are too
// light to take any.
type Memory struct {
	pool  *budget.Pool
	r     *route.Request
	grant *budget.Grant
}

// Factor is the memory that a byte of a row stands for: the row, what is encoded of it, and the part of an answer that
// it is copied to.
const Factor = 3

// New is memory of a pool for one request.
func New(pool *budget.Pool, r *route.Request) *Memory { return &Memory{pool: pool, r: r} }

// Take reserves memory for a row of so many bytes of text. Rows are read one by
// one, so that a list is refused before it is whole.
func (m *Memory) Take(bytes int) error {
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
	err := m.grant.Grow(Factor * int64(bytes))
	if errors.Is(err, wire.ErrTooLarge) {
		return &TooLargeError{err}
	}
	return err
}

// Metered is a scan that takes memory for what it has read.
func Metered[T interface{ TextBytes() int }](scan func(database.Scanner) (T, error), m *Memory) func(
	database.Scanner) (T, error) {
	return func(s database.Scanner) (T, error) {
		if m != nil {
			s = counted.Uncounted(s)
		}
		row, err := scan(s)
		if err == nil {
			err = m.Take(row.TextBytes())
		}
		return row, err
	}
}

// Release gives it back.
func (m *Memory) Release() {
	if m != nil {
		m.grant.Release()
	}
}

// TooLargeError means that rows are longer than all the memory that one
// caller may hold. The request is not at fault.
type TooLargeError struct{ cause error }

func (e *TooLargeError) Error() string { return "the answer: " + e.cause.Error() }

func (e *TooLargeError) Unwrap() error { return e.cause }
