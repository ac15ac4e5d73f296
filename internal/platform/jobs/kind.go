package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Job is what a run function learns about the job it runs.
type Job struct {
	// ID names the job; ids are numbers that grow in enqueue order.
	ID string
	// Kind is the name the kind was defined under.
	Kind string
	// Key is the lane of serial execution, empty when there is none.
	Key string
	// Owner is whose work it is, empty when it is the system's own.
	Owner string
	// Attempt counts from 1.
	Attempt int
	// MaxAttempts is how many there are before the job is dead.
	MaxAttempts int
	// Asked is when the job was to run first; for a schedule, the firing time.
	Asked time.Time
	// Due is when this attempt was to start.
	Due time.Time
	// Enqueued is when the job was written.
	Enqueued time.Time
}

// Kind is one sort of work: a name, a typed payload and a run function.
type Kind[P any] struct {
	// Name is the service's name, a dot and a verb, such as "calendar.notify".
	Name string
	// MaxAttempts before the job is dead; zero means 10. Between them it waits
	// 1 s, 2 s, 4 s … up to an hour, unless RetryAfter says otherwise.
	MaxAttempts int
	// Timeout bounds one attempt; zero means one minute. It is measured in
	// real time, since it bounds real work, also in a world whose clock stands still.
	Timeout time.Duration
	// Concurrency gives this kind workers of its own, this many in each
	// process, so that long work does not hold up short work. Zero shares the
	// queue's common workers.
	Concurrency int
	// PerOwner bounds what one owner may have of this kind, and lets the workers
	// choose by owner. It needs a Concurrency.
	PerOwner Share
	// Safe kinds evaluate nothing that a caller wrote, so that a job of theirs
	// cannot be why a process ended: it is taken over by the next one, however
	// often that happens, and never becomes a suspect.
	Safe bool
	// Run does the work. It runs at least once: after a crash it may run again.
	Run func(ctx context.Context, job Job, payload P) error
}

// Share is what one owner may have of a kind. Zero fields do not bound.
//
// When either is set, workers serve the owner that has the least running, among
// equals the one that was served longest ago: an owner with a full queue delays
// another's single job by one job at most, and not at all while Running is less
// than the kind's Concurrency. Nothing of such a kind is claimed ahead.
type Share struct {
	// Running is how many jobs of one owner a process runs at once.
	Running int
	// Waiting is how many unfinished jobs an owner may have. One more is refused
	// with a *limit.Exceeded, which every service answers with 429.
	Waiting int
}

func (s Share) fair() bool { return s.Running > 0 || s.Waiting > 0 }

const (
	defaultMaxAttempts = 10
	defaultTimeout     = time.Minute
)

// Registration is a kind without its payload type.
type Registration struct {
	name        string
	maxAttempts int
	timeout     time.Duration
	concurrency int
	fair        bool // chosen by owner
	safe        bool
	share       Share
	accepts     func(payload any) bool
	run         func(ctx context.Context, job Job, payload []byte) error
}

// Define makes a kind that a queue can register. It panics on a kind without a
// name or a run function: that is a programming error.
func Define[P any](k Kind[P]) Registration {
	if k.Name == "" || k.Run == nil {
		panic(fmt.Sprintf("jobs: kind %q needs a name and a run function", k.Name))
	}
	if k.PerOwner.fair() && k.Concurrency <= 0 {
		panic(fmt.Sprintf("jobs: kind %q has a share per owner and needs a Concurrency", k.Name))
	}
	r := Registration{
		name: k.Name, maxAttempts: k.MaxAttempts, timeout: k.Timeout, concurrency: k.Concurrency,
		share: k.PerOwner, fair: k.PerOwner.fair(), safe: k.Safe,
	}
	if r.share.Running <= 0 || r.share.Running > r.concurrency {
		r.share.Running = r.concurrency
	}
	if r.maxAttempts <= 0 {
		r.maxAttempts = defaultMaxAttempts
	}
	if r.timeout <= 0 {
		r.timeout = defaultTimeout
	}
	r.accepts = accepts[P]
	r.run = func(ctx context.Context, job Job, payload []byte) error {
		var p P
		if err := json.Unmarshal(payload, &p); err != nil {
			// The same bytes will not become readable.
			return Permanent(fmt.Errorf("payload: %w", err))
		}
		return k.Run(ctx, job, p)
	}
	return r
}

// accepts tells a payload of the kind's type, or a pointer to one, from a mistake.
func accepts[P any](payload any) bool {
	switch payload.(type) {
	case nil, P, *P:
		return true
	}
	return false
}
