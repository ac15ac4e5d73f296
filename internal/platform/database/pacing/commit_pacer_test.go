package pacing_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/pacing"
)

// TestGather checks that a lone writer is not delayed, and that those who were just
// answered are waited for, but not for longer than half a commit.
func TestGather(t *testing.T) {
	t.Parallel()
	now := clock.NewVirtual(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	p := &pacing.Pacer{Clock: now, MaxBatch: 8}
	asked := 0
	waiting := func() int { asked++; return 1 }
	p.Serving(0)
	if p.Gather(waiting); asked != 1 {
		t.Errorf("a lone writer: asked %d times, want once", asked)
	}

	for range 50 {
		p.Committed(8 * time.Millisecond)
	}
	p.Serving(3)
	n := 0
	p.Gather(func() int { n++; return n })
	if n != 4 {
		t.Errorf("three that come back beside one: %d waited, want 4", n)
	}

	for range 50 {
		p.Ran(2, 80*time.Millisecond)
	}
	p.Serving(3)
	asked = 0
	if p.Gather(waiting); asked != 1 {
		t.Errorf("one that takes longer than a commit waits: asked %d times, want once", asked)
	}
	for range 50 {
		p.Ran(2, 0)
	}

	p.Serving(3)
	begin := now.Now()
	p.Gather(func() int { now.Advance(100 * time.Microsecond); return 1 })
	if took := now.Now().Sub(begin); took > 4*time.Millisecond {
		t.Errorf("no writer comes: it took %v", took)
	}
}
