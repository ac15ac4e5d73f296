package runcount

import "sync/atomic"

// Counts is what became of runs.
type Counts struct {
	// Running are under way.
	Running int64
	// Done ended with code 0, Failed by themselves with another one or by a signal, Killed because of a limit.
	Done, Failed, Killed int64
	// Refused did not start or could not be watched, and Stopped were ended from outside.
	Refused, Stopped int64
}

// Outcome is how a run ended.
type Outcome int

// The outcomes; see Counts.
const (
	Done Outcome = iota
	Failed
	Killed
	Refused
	Stopped
	outcomes
)

// OutcomeOf names the outcome of a run that ended well or was killed because of a limit, of
// which err says that it could not be run, and stop that it was ended from outside.
func OutcomeOf(success, limited bool, err, stop error) Outcome {
	switch {
	case stop != nil:
		return Stopped
	case err != nil:
		return Refused
	case success:
		return Done
	case limited:
		return Killed
	}
	return Failed
}

// Counter counts the runs of a process.
type Counter struct {
	running atomic.Int64
	ended   [outcomes]atomic.Int64
}

// Begin counts a run until the function is called with its outcome.
func (c *Counter) Begin() func(Outcome) {
	c.running.Add(1)
	return func(o Outcome) {
		c.running.Add(-1)
		c.ended[o].Add(1)
	}
}

// Refuse counts a run that did not begin.
func (c *Counter) Refuse() { c.ended[Refused].Add(1) }

// Read gives the counts.
func (c *Counter) Read() Counts {
	return Counts{
		Running: c.running.Load(), Done: c.ended[Done].Load(), Failed: c.ended[Failed].Load(),
		Killed: c.ended[Killed].Load(), Refused: c.ended[Refused].Load(), Stopped: c.ended[Stopped].Load(),
	}
}
