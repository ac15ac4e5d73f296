package sandbox

import "sync/atomic"

// Counts is what became of the runs of a Sandbox.
type Counts struct {
	// Running are under way.
	Running int64
	// Done ended with code 0, Failed by themselves with another one or by a signal, Killed because of a limit.
	Done, Failed, Killed int64
	// Refused did not start, and Stopped were ended from outside.
	Refused, Stopped int64
}

type runCounts struct {
	running, done, failed, killed, refused, stopped atomic.Int64
}

// Counts counts the runs since the start of the process.
func (s *Sandbox) Counts() Counts {
	c := &s.counts
	return Counts{
		Running: c.running.Load(), Done: c.done.Load(), Failed: c.failed.Load(), Killed: c.killed.Load(),
		Refused: c.refused.Load(), Stopped: c.stopped.Load(),
	}
}

func (c *runCounts) add(e Exit, err error, stopped bool) {
	switch {
	case stopped:
		c.stopped.Add(1)
	case err != nil:
		c.refused.Add(1)
	case e.Success():
		c.done.Add(1)
	case e.TimedOut, e.Silent, e.OutOfMemory, e.OutOfDisk, e.TooMuchOutput:
		c.killed.Add(1)
	default:
		c.failed.Add(1)
	}
}
