package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/dispatch"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// Job and the others are what operators see of a job: it is as store keeps it.
//
//nolint:revive // one comment for all
type (
	Job    = store.Job
	State  = store.State
	Share  = store.Share
	Info   = store.Info
	Filter = store.Filter
	Count  = store.Count
)

// The states of a job. A finished job is deleted.
const (
	Ready   = store.Ready
	Blocked = store.Blocked
	Running = store.Running
	Suspect = store.Suspect
	Dead    = store.Dead
)

// States lists them all.
func States() []State { return []State{Ready, Blocked, Running, Suspect, Dead} }

// Kind is one sort of work: a name, a typed payload and a run function.
type Kind[P any] struct {
	// Name is the service's name, a dot and a verb, such as "calendar.notify"; About is a sentence about it.
	Name, About string
	// MaxAttempts before the job is dead; zero means 10. Between them it waits
	// 1 s, 2 s, 4 s … up to an hour, unless RetryAfter says otherwise.
	MaxAttempts int
	// Timeout bounds one attempt; zero means one minute. It is measured in
	// real time, since it bounds real work, also in a world whose clock stands still.
	Timeout time.Duration
	// Concurrency gives this kind workers of its own, this many in each process, so
	// that long work does not hold up short work. Zero shares the common workers.
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

const (
	defaultMaxAttempts = 10
	defaultTimeout     = time.Minute
)

// Registration is a kind without its payload type.
type Registration struct {
	dispatch.Kind
	About   string
	timeout time.Duration
	accepts func(payload any) bool
	run     func(ctx context.Context, job Job, payload []byte) error
}

// Define makes a kind that a queue can register. It panics on a kind without a
// name or a run function: that is a programming error.
func Define[P any](k Kind[P]) Registration {
	if k.Name == "" || k.Run == nil {
		panic(fmt.Sprintf("jobs: kind %q needs a name and a run function", k.Name))
	}
	if k.PerOwner.Bounds() && k.Concurrency <= 0 {
		panic(fmt.Sprintf("jobs: kind %q has a share per owner and needs a Concurrency", k.Name))
	}
	r := Registration{timeout: k.Timeout, About: k.About}
	r.Kind.Kind = store.Kind{Name: k.Name, MaxAttempts: k.MaxAttempts, Safe: k.Safe, Share: k.PerOwner}
	r.Concurrency = k.Concurrency
	if r.Share.Bounds() && (r.Share.Running <= 0 || r.Share.Running > r.Concurrency) {
		r.Share.Running = r.Concurrency
	}
	if r.MaxAttempts <= 0 {
		r.MaxAttempts = defaultMaxAttempts
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
