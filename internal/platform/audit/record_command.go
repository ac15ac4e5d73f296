package audit

import (
	"context"
	"sync"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/beforecommit"
)

// Operator is the actor of commands that were typed on the machine itself.
const Operator = "operator"

type commandKey struct{}

// command is one run of a command and whether it is on record.
type command struct {
	clock clock.Clock
	entry Entry

	mu       sync.Mutex
	explicit *database.Tx // the transaction in which the act was recorded in its own words
	recorded bool
}

// Command is a context for one run of a command. The first transaction that commits in
// it records the entry, unless Record was called in it: a command that changes nothing
// leaves no entry. A context that does not say who acts is the operator's.
func Command(ctx context.Context, c clock.Clock, e Entry) context.Context {
	if !Known(ctx) {
		ctx = With(ctx, Actor{Name: Operator, Credential: "command line"})
	}
	run := &command{clock: c, entry: e}
	return beforecommit.With(context.WithValue(ctx, commandKey{}, run), run.record)
}

func (c *command) record(ctx context.Context, tx *database.Tx) error {
	c.mu.Lock()
	recorded, explicit := c.recorded, c.explicit == tx
	c.mu.Unlock()
	if recorded {
		return nil
	}
	tx.OnCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.recorded = true
	})
	if explicit {
		return nil
	}
	return insert(ctx, tx, c.clock.Now(), c.entry)
}

// noteExplicit remembers that the act is recorded in its own words.
func noteExplicit(ctx context.Context, tx *database.Tx) {
	c, ok := ctx.Value(commandKey{}).(*command)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.explicit = tx
}
