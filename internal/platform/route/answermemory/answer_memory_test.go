package answermemory_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route/answermemory"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 100, PerOwner: 60})
	var m answermemory.Memory
	if err := errors.Join(m.HoldRows(t.Context(), 1000), m.HoldAnswer(t.Context(), 1000)); err != nil {
		t.Errorf("before it has begun: %v", err)
	}
	m.Begin(pool, budget.Caller("ann"))
	for _, row := range []struct{ bytes, held int64 }{{4, 16}, {2, 16}, {10, 40}} {
		if err := m.HoldRows(t.Context(), row.bytes); err != nil || pool.Used() != row.held {
			t.Errorf("%d bytes of rows: %d held, %v; want %d", row.bytes, pool.Used(), err, row.held)
		}
	}
	if err := m.HoldRows(t.Context(), 30); !errors.As(err, new(*limit.Exceeded)) || pool.Used() != 40 {
		t.Errorf("more rows than one caller may have: %v, %d held", err, pool.Used())
	}
	for _, row := range []struct{ bytes, held int64 }{{1, 44}, {2, 52}} {
		if err := m.HoldRow(t.Context(), row.bytes); err != nil || pool.Used() != row.held {
			t.Errorf("a row of %d bytes by itself: %d held, %v; want %d", row.bytes, pool.Used(), err, row.held)
		}
	}
	if err := m.HoldRow(t.Context(), 3); !errors.As(err, new(*limit.Exceeded)) || pool.Used() != 52 {
		t.Errorf("a row too many: %v, %d held", err, pool.Used())
	}
	if err := m.HoldAnswer(t.Context(), 1000); err != nil || pool.Used() != 60 {
		t.Errorf("a longer answer than one caller may have: %v, %d held, want all of it", err, pool.Used())
	}
	if m.Release(); pool.Used() != 0 {
		t.Errorf("%d are still held", pool.Used())
	}
}
