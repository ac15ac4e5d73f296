package execute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/sandbox"
)

func (n *node) infrastructure(err error) result {
	// A node that was stopped fails in many places; what counts is why.
	if cause := context.Cause(n.ctx); cause != nil && !errors.Is(cause, errOver) {
		return n.ended()
	}
	return result{outcome: Infrastructure, code: -1, reason: err.Error(), err: err}
}

// over reports whether the sandbox has ended.
func (s *session) over() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// ended explains the end of a sandbox, or of a node without one.
func (n *node) ended() result {
	cause := context.Cause(n.ctx)
	r := result{code: -1}
	var exit sandbox.Exit
	if n.session != nil && n.session.over() {
		exit = n.session.exit
		if cause == nil {
			cause = n.session.err
		}
	}
	l := n.executor.limits
	switch {
	case errors.Is(cause, errSilent):
		r.outcome, r.reason = TimedOut, "The step printed nothing for too long and was stopped (no_output_timeout)."
	case errors.Is(cause, errTimeout):
		r.outcome, r.reason = TimedOut, fmt.Sprintf("The job ran longer than %s and was stopped.", n.timeout())
	case errors.Is(cause, ErrCanceled):
		r.outcome, r.reason = Canceled, "The job was canceled."
	case cause != nil:
		r.outcome, r.reason, r.err = Infrastructure, cause.Error(), cause
	case exit.OutOfMemory:
		r.outcome, r.reason = Failed, fmt.Sprintf("The job used more than %d MiB of memory and was stopped.",
			l.Memory>>20)
	case exit.OutOfDisk:
		r.outcome, r.reason = Failed, fmt.Sprintf("The job used more than %d MiB of disk, or more files or levels "+
			"of folders than it may, and was stopped.", l.Disk>>20)
	default:
		r.outcome, r.reason = Failed, "The job ended the shell that runs its steps. "+
			""+strings.TrimSpace(n.session.complaint.String())
	}
	return r
}

// Causes of an early end, besides ErrCanceled.
var (
	errSilent  = errors.New("execute: no output for too long")
	errTimeout = errors.New("execute: the job took too long")
)
