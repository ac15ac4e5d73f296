package deliver

import (
	"context"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database"
)

// Attempts is how the attempts of a process ended: acknowledged by the receiver, to be
// made again, or given up.
type Attempts struct{ Delivered, Again, Failed int64 }

type attemptCounts struct{ delivered, again, failed atomic.Int64 }

func (c *attemptCounts) add(v verdict) {
	switch v {
	case acknowledged:
		c.delivered.Add(1)
	case tryAgain:
		c.again.Add(1)
	case hopeless:
		c.failed.Add(1)
	}
}

// Attempts counts those of this process.
func (e *Engine) Attempts() Attempts {
	return Attempts{e.counts.delivered.Load(), e.counts.again.Load(), e.counts.failed.Load()}
}

// Backlog is how many messages of a service are not delivered yet.
type Backlog struct {
	Service string
	N       int64
}

// Backlogs counts the messages that wait, by service.
func (e *Engine) Backlogs(ctx context.Context) ([]Backlog, error) {
	return database.All(ctx, e.db, func(s database.Scanner) (b Backlog, err error) {
		err = s.Scan(&b.Service, &b.N)
		return b, err
	}, `SELECT service, COUNT(*) FROM deliver_messages WHERE state = 'pending' GROUP BY service ORDER BY service`)
}
