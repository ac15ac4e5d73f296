package tally

import (
	"context"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database"
)

// Attempts is how the attempts of a process ended: acknowledged by the receiver, to be
// made again, or given up.
type Attempts struct{ Delivered, Retried, Failed int64 }

// Counter counts attempts.
type Counter struct{ Delivered, Retried, Failed atomic.Int64 }

// Read gives the counts.
func (c *Counter) Read() Attempts {
	return Attempts{c.Delivered.Load(), c.Retried.Load(), c.Failed.Load()}
}

// Backlog is how many messages of a service are not delivered yet.
type Backlog struct {
	Service string
	N       int64
}

// Backlogs counts the messages that wait, by service.
func Backlogs(ctx context.Context, q database.Querier) ([]Backlog, error) {
	return database.All(ctx, q, func(s database.Scanner) (b Backlog, err error) {
		err = s.Scan(&b.Service, &b.N)
		return b, err
	}, `SELECT service, COUNT(*) FROM deliver_messages WHERE state = 'pending' GROUP BY service ORDER BY service`)
}

// Purpose is that of the box that seals the requests of messages.
const Purpose = "deliver"

// SealedRows selects the id, the place and the sealed request of the messages after $1, by
// id, at most $2 of them.
const SealedRows = `SELECT id, id, request FROM deliver_messages WHERE id > $1 ORDER BY id LIMIT $2`
