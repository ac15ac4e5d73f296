package journal

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Delay is how long a fault held a request or its answer back, on the machine's clock
// and on the world's. It is no part of the time that the service took.
type Delay struct{ Machine, World time.Duration }

// Wait waits on a clock as a fault asks, and measures it on both.
func (d *Delay) Wait(ctx context.Context, machine, world, on clock.Clock, time time.Duration) error {
	began, at := machine.Now(), world.Now()
	err := clock.Sleep(ctx, on, time)
	d.Machine += machine.Now().Sub(began)
	d.World += world.Now().Sub(at)
	return err
}

// SetDelay notes how long the fault held the request back.
func (d *Draft) SetDelay(delay Delay) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.delay = delay
}

// Delay is what SetDelay noted.
func (d *Draft) Delay() Delay {
	if d == nil {
		return Delay{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.delay
}
