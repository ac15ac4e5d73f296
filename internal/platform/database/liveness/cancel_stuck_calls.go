package liveness

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Options are what a Monitor is built from. Ping and Err are required.
type Options struct {
	// Ping asks the database for a sign of life, on a connection of its own.
	Ping func(context.Context) error
	// Limit is how long a call may wait for a database that does not answer; zero
	// means five seconds.
	Limit time.Duration
	// Err is what calls get that were given up.
	Err error
	// Silent, if set, is told when the database is found to stand still.
	Silent func()
	// Clock is the machine's if nil.
	Clock clock.Clock
}

// defaultLimit is long for a database and short for a person.
const defaultLimit = 5 * time.Second

// Monitor watches the calls of one database. A nil Monitor watches nothing.
type Monitor struct {
	o     Options
	clock clock.Clock
	stop  context.CancelFunc
	ended chan struct{}

	mu       sync.Mutex
	calls    map[*Call]struct{}
	answered time.Time // when the last answer to a ping came
	standing bool
	// heldUp is how long this process was kept from running, as far as it noticed. Times here are the clock's without
	// it.
	heldUp time.Duration
}

// Start begins to watch, until Close.
func Start(o Options) *Monitor {
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	ctx, stop := context.WithCancel(context.Background())
	m := &Monitor{o: o, clock: o.Clock, stop: stop, ended: make(chan struct{}), calls: map[*Call]struct{}{}}
	go m.run(ctx)
	return m
}

// Close ends the watching. Calls in progress are left alone.
func (m *Monitor) Close() {
	if m == nil {
		return
	}
	m.stop()
	<-m.ended
}

// Call is one call in progress.
type Call struct {
	m      *Monitor
	ctx    context.Context
	cancel context.CancelCauseFunc
	began  time.Time
}

// Begin notes a call, which then uses the context that it is given. Its error is that
// of a database that is known to stand still.
func (m *Monitor) Begin(ctx context.Context) (*Call, context.Context, error) {
	if m == nil {
		return nil, ctx, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &Call{m: m, began: m.now()}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	if m.standing {
		c.cancel(nil)
		return nil, ctx, m.o.Err
	}
	m.calls[c] = struct{}{}
	return c, c.ctx, nil
}

// End takes the call's error and returns what its caller is told.
func (c *Call) End(err error) error {
	if c == nil {
		return err
	}
	c.m.mu.Lock()
	delete(c.m.calls, c)
	c.m.mu.Unlock()
	defer c.cancel(nil)
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(c.ctx), c.m.o.Err) {
		return c.m.o.Err
	}
	return err
}

func (m *Monitor) run(ctx context.Context) {
	defer close(m.ended)
	var asked sync.WaitGroup
	defer asked.Wait()
	for {
		slept := m.clock.Now()
		if clock.Sleep(ctx, m.clock, m.o.Limit/5) != nil {
			return
		}
		m.noteHeldUp(m.clock.Now().Sub(slept) - m.o.Limit/5)
		waited, standing := m.oldest()
		switch {
		case standing:
			// A question that a dead connection took is never answered: the next one does
			// not wait for it, so that the end of the silence is heard at once.
			asked.Go(func() { m.listen(ctx) })
		case waited >= m.o.Limit/5*2:
			m.ask(ctx, max(m.o.Limit-waited, m.o.Limit/5))
		}
	}
}

// now is the time by which calls are measured. The caller holds the lock.
func (m *Monitor) now() time.Time { return m.clock.Now().Add(-m.heldUp) }

// noteHeldUp leaves out time for which this process did not run.
func (m *Monitor) noteHeldUp(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heldUp += max(d, 0)
}

// listen asks a database that stood still whether it goes on.
func (m *Monitor) listen(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, m.o.Limit)
	defer cancel()
	if err := m.o.Ping(asking); err != nil && asking.Err() != nil {
		return
	}
	m.conclude(false)
}

// oldest is how long some call has waited without a sign of life.
func (m *Monitor) oldest() (waited time.Duration, standing bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	began := now
	for c := range m.calls {
		if c.began.Before(began) {
			began = c.began
		}
	}
	if began.Before(m.answered) {
		began = m.answered
	}
	return now.Sub(began), m.standing
}

// ask pings the database and draws the conclusion. Only silence counts: a database
// that refuses answers its callers as well.
func (m *Monitor) ask(ctx context.Context, patience time.Duration) {
	asking, cancel := context.WithCancel(ctx)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_ = m.o.Ping(asking) // a refusal is an answer too
	}()
	silent := !m.await(answered, patience)
	cancel()
	<-answered
	if ctx.Err() != nil {
		return
	}
	m.conclude(silent)
	if silent && m.o.Silent != nil {
		m.o.Silent()
	}
}

// await waits for an answer. Time for which this process was held up, because the machine
// was busy or the process stopped, does not count: the answer may be here, unread.
func (m *Monitor) await(answered <-chan struct{}, patience time.Duration) bool {
	step := m.o.Limit / 50
	for last := m.clock.Now(); patience > 0; {
		timer := m.clock.NewTimer(min(step, patience))
		select {
		case <-answered:
			timer.Stop()
			return true
		case <-timer.C:
		}
		now := m.clock.Now()
		counted := min(now.Sub(last), 2*step)
		m.noteHeldUp(now.Sub(last) - counted)
		patience, last = patience-counted, now
	}
	select {
	case <-answered:
		return true
	default:
		return false
	}
}

// conclude notes an answer, or gives up every call.
func (m *Monitor) conclude(silent bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.standing = silent; !silent {
		m.answered = m.now()
		return
	}
	for c := range m.calls {
		c.cancel(m.o.Err)
	}
}
