package answermemory

import (
	"context"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
)

// rowsFactor is how many bytes of memory a byte of a row stands for: the row, what is made of it, and the buffer that
// it is encoded in.
const rowsFactor = 4

// Memory is what one request holds of a pool for its answer. The zero value holds nothing and bounds nothing.
type Memory struct {
	pool  *budget.Pool
	owner budget.Owner

	mu      sync.Mutex
	grant   *budget.Grant
	longest int64 // bytes of the rows of one query
	singles int64 // bytes of the rows that were read by themselves
	rows    int64 // what the grant holds for both
	sent    int64 // what is held of the pool for answers
}

// Begin has the memory be that of a pool, for an owner.
func (m *Memory) Begin(pool *budget.Pool, owner budget.Owner) { m.pool, m.owner = pool, owner }

// HoldRows has memory for rows of so many bytes held until the request ends. It does not wait for others: who reads
// rows has a connection to the database.
func (m *Memory) HoldRows(ctx context.Context, bytes int64) error {
	if m.pool == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hold(ctx, max(m.longest, bytes), m.singles)
}

// HoldRow has memory for a row of so many bytes held besides, until the request ends.
func (m *Memory) HoldRow(ctx context.Context, bytes int64) error {
	if m.pool == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hold(ctx, m.longest, m.singles+bytes)
}

// hold grows the grant to what rows take; the caller holds mu.
func (m *Memory) hold(ctx context.Context, longest, singles int64) error {
	used := rowsFactor * (longest + singles)
	if used <= m.rows {
		return nil
	}
	if m.grant == nil {
		grant, err := m.pool.Take(ctx, m.owner, 0)
		if err != nil {
			return err
		}
		m.grant = grant
	}
	if err := m.grant.Grow(used - m.rows); err != nil {
		return m.exceeded(used)
	}
	m.longest, m.singles, m.rows = longest, singles, used
	return nil
}

// exceeded refuses rows. More than one caller may ever have is no body that is too large: asking for a smaller page
// helps, as waiting may.
func (m *Memory) exceeded(used int64) error {
	return &limit.Exceeded{Decision: limit.Decision{
		Name: "memory", Limit: m.pool.Max(m.owner), Used: used, RetryAfter: time.Second,
	}}
}

// HoldAnswer has memory for an answer of so many bytes held until the request ends, and waits for it. No answer is too
// long: it is there.
func (m *Memory) HoldAnswer(ctx context.Context, bytes int64) error {
	if m.pool == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes = min(bytes, m.pool.Max(m.owner)-m.rows-m.sent)
	if bytes <= 0 {
		return nil
	}
	if err := m.pool.Enter(ctx, m.owner, bytes); err != nil {
		return err
	}
	m.sent += bytes
	return nil
}

// Release gives all of it back.
func (m *Memory) Release() {
	if m.pool == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.grant.Release()
	m.pool.Leave(m.owner, m.sent)
	m.longest, m.singles, m.rows, m.sent = 0, 0, 0, 0
}
