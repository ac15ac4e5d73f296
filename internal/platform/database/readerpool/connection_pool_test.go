package readerpool_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/readerpool"
)

var errClosed = errors.New("closed")

type conn struct{ closed, warm, shrunk bool }

func (c *conn) Close() error { c.closed = true; return nil }

func pool(t *testing.T, limit int) (*readerpool.Pool[*conn], *[]*conn) {
	t.Helper()
	var made []*conn
	p := readerpool.New(readerpool.Options[*conn]{
		Max:    limit,
		Open:   func() (*conn, error) { made = append(made, &conn{}); return made[len(made)-1], nil },
		Warm:   func(c *conn) error { c.warm = true; return nil },
		Closed: errClosed,
	})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, &made
}

func acquire(t *testing.T, p *readerpool.Pool[*conn]) *conn {
	t.Helper()
	c, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheFirstIsOpenedAhead(t *testing.T) {
	p, _ := pool(t, 2)
	if c := acquire(t, p); !c.warm {
		t.Error("the first connection was not warmed")
	}
	if c := acquire(t, p); c.warm {
		t.Error("the second connection is the first")
	}
}

func TestNoMoreThanMax(t *testing.T) {
	p, _ := pool(t, 1)
	held := acquire(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := p.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second connection: %v", err)
	}
	p.Release(held, true)
	if acquire(t, p) != held {
		t.Error("the idle connection was not used again")
	}
}

func TestOneThatIsNotTrustedIsClosed(t *testing.T) {
	p, _ := pool(t, 1)
	c := acquire(t, p)
	p.Release(c, false)
	if open, _ := p.Count(); !c.closed || open != 0 {
		t.Errorf("closed %t, %d open", c.closed, open)
	}
}

func TestTrimKeepsTheWarmest(t *testing.T) {
	p, made := pool(t, 3)
	a, b, busy := acquire(t, p), acquire(t, p), acquire(t, p)
	p.Release(a, true)
	p.Release(b, true)
	if err := p.Trim(func(c *conn) error { c.shrunk = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if !a.closed || a.shrunk || b.closed || !b.shrunk || busy.closed {
		t.Errorf("after a trim: %+v, %+v, in use %+v", a, b, busy)
	}
	if open, inUse := p.Count(); open != 2 || inUse != 1 {
		t.Errorf("%d open, %d in use", open, inUse)
	}
	if acquire(t, p) != b || len(*made) != 3 {
		t.Error("the kept connection was not used again")
	}
}

func TestClosed(t *testing.T) {
	p, _ := pool(t, 2)
	idle, busy := acquire(t, p), acquire(t, p)
	p.Release(idle, true)
	if err := p.Close(); err != nil || !idle.closed || busy.closed {
		t.Fatalf("%v, idle %+v, in use %+v", err, idle, busy)
	}
	p.Release(busy, true)
	if _, err := p.Acquire(t.Context()); !errors.Is(err, errClosed) || !busy.closed {
		t.Errorf("%v, in use before %+v", err, busy)
	}
}
