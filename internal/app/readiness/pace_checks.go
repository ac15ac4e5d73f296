package readiness

import (
	"context"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/module"
)

const (
	// checkEvery is how often a check is made at most: some ask other servers, with the operator's credentials.
	checkEvery = time.Second
	// checkTime bounds one check.
	checkTime = 5 * time.Second
)

// Pace has the checks of the modules share what the last one found. stop ends those under way.
func Pace(modules []module.Module) (stop func()) {
	group := flight.New[error]()
	for i := range modules {
		if m := &modules[i]; m.Check != nil {
			p := &paced{group: group, name: m.Name, check: m.Check}
			m.Check = p.ask
		}
	}
	return group.Close
}

// paced is a check and what it found last. It is paced by real time, as the machine is.
type paced struct {
	group *flight.Group[error]
	name  string
	check func(context.Context) error

	mu    sync.Mutex
	at    time.Time
	found error
}

// ask repeats what was found within the last second, or has the check made for all who wait.
func (p *paced) ask(ctx context.Context) error {
	p.mu.Lock()
	at, found := p.at, p.found
	p.mu.Unlock()
	if !at.IsZero() && clock.Real().Now().Sub(at) < checkEvery {
		return found
	}
	found, err := p.group.Do(ctx, p.name, func(ctx context.Context) (error, error) { return p.make(ctx), nil })
	if err != nil {
		return err
	}
	return found
}

func (p *paced) make(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	found := p.check(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.found = clock.Real().Now(), found
	return found
}
