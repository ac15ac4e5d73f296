package execute

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
)

var errNotBuilt = errors.New("execute: running jobs is not built in yet")

// Executor runs nodes below one folder.
type Executor struct {
	sandbox *sandbox.Sandbox
	dir     string
	clock   clock.Clock
	limits  Limits
}

// New keeps what it is given. dir is for work folders and belongs to this
// executor alone.
func New(sb *sandbox.Sandbox, dir string, c clock.Clock, l Limits) *Executor {
	return &Executor{sandbox: sb, dir: dir, clock: c, limits: l}
}

// Open prepares the folder and removes what a killed server left in it.
func (e *Executor) Open(context.Context) error { return errNotBuilt }

// Run runs one node. The outcome is always set; the error explains
// Infrastructure and is nil otherwise.
func (e *Executor) Run(context.Context, Task, Host, Reporter) (Outcome, error) {
	return Infrastructure, errNotBuilt
}
