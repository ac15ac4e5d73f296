package execute

import (
	"context"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
)

// Executor runs nodes below one folder. It is safe for concurrent use.
type Executor struct {
	sandbox *sandbox.Sandbox
	dir     string
	clock   clock.Clock
	limits  Limits
	remote  Remote // nil for the sandbox
}

// New keeps what it is given. dir is for work folders and belongs to this
// executor alone.
func New(sb *sandbox.Sandbox, dir string, c clock.Clock, l Limits) *Executor {
	return &Executor{sandbox: sb, dir: dir, clock: c, limits: l.complete()}
}

// NewRemote runs the programs of nodes elsewhere; the sandbox only finds the root of work folders.
func NewRemote(r Remote, sb *sandbox.Sandbox, dir string, c clock.Clock, l Limits) *Executor {
	e := New(sb, dir, c, l)
	e.remote = r
	return e
}

// Run runs one node. The outcome is always set; the error explains
// Infrastructure and is nil otherwise. When Run returns, no process and no
// file of the node is left.
func (e *Executor) Run(ctx context.Context, t Task, h Host, r Reporter) (Outcome, error) {
	n, err := e.newNode(ctx, t, h, r)
	if err != nil {
		return Infrastructure, err
	}
	defer n.leave()
	outcome, err := n.run()
	return outcome, n.mask.hideError(err)
}
