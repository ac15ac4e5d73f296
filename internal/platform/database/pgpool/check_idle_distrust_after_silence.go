package pgpool

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// restTime is how long a connection may rest and be used again unasked.
	restTime = time.Second
	// checkTime is how long one that rested may take to answer. A connection that a
	// firewall forgot never answers, and says nothing of it.
	checkTime = 2 * time.Second
)

// trust tells connections that were opened since PostgreSQL was last silent from those
// before, which may lead nowhere for ever.
type trust struct {
	silences atomic.Int64
	mu       sync.Mutex
	open     map[*openConn]struct{}
}

// openConn is a connection that can be closed while a call waits for it.
type openConn struct {
	net.Conn
	t *trust
}

// Close implements net.Conn.
func (c *openConn) Close() error {
	c.t.mu.Lock()
	delete(c.t.open, c)
	c.t.mu.Unlock()
	return c.Conn.Close()
}

// watch keeps what is dialed.
func (t *trust) watch(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &openConn{conn, t}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.open == nil {
			t.open = map[*openConn]struct{}{}
		}
		t.open[c] = struct{}{}
		return c, nil
	}
}

// silencesKey is where a connection keeps how many silences it came after.
const silencesKey = "stoa.silences"

// Distrust closes every connection that there is. PostgreSQL hears of it as soon as the
// network lets it, and gives up what they locked.
func (p *Pools) Distrust() {
	p.trust.silences.Add(1)
	p.trust.mu.Lock()
	open := slices.Collect(maps.Keys(p.trust.open))
	p.trust.mu.Unlock()
	for _, c := range open {
		_ = c.Close() // its user sees that it is gone
	}
}

// options make a pool look at connections before it uses them again.
func (t *trust) options() []stdlib.OptionOpenDB {
	return []stdlib.OptionOpenDB{
		stdlib.OptionAfterConnect(func(_ context.Context, c *pgx.Conn) error {
			c.PgConn().CustomData()[silencesKey] = t.silences.Load()
			return nil
		}),
		stdlib.OptionShouldPing(t.dead),
	}
}

// dead reports whether a connection cannot be used again. The caller then asks it once
// more, which fails at once because it is closed, and takes another one.
func (t *trust) dead(ctx context.Context, p stdlib.ShouldPingParams) bool {
	now := t.silences.Load()
	if opened, _ := p.Conn.PgConn().CustomData()[silencesKey].(int64); opened != now {
		_ = p.Conn.PgConn().Conn().Close() // the other end may be gone
		return true
	}
	if p.IdleDuration <= restTime {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	err := p.Conn.PgConn().Ping(ctx)
	if err != nil && ctx.Err() != nil {
		// The others rest as long; one call need not find that out for each.
		t.silences.CompareAndSwap(now, now+1)
	}
	return err != nil
}
