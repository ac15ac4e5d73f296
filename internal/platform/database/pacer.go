package database

import (
	"runtime"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// pacer decides how long the writer waits for company before it starts the
// next batch. Those who were just answered are likely to come back at once; if
// the writer ran ahead with the first of them, it would spend a whole fsync on
// one and let the others wait for the next. A lone client is never delayed:
// after a batch of one nobody else is expected.
type pacer struct {
	clock    clock.Clock
	expected int           // size of the last batch
	commit   time.Duration // smoothed duration of a commit
}

// patience is the part of a commit's duration worth waiting for company.
const patience = 8

// serving notes the size of the batch that is about to run.
func (p *pacer) serving(n int) { p.expected = n }

// committed notes how long a commit took.
func (p *pacer) committed(d time.Duration) {
	p.commit += (d - p.commit) / 8
}

// gather yields to the clients until as many wait as were served last, or
// until it would cost more than it saves.
func (p *pacer) gather(waiting func() int) {
	if p.expected < 2 {
		return
	}
	begin := p.clock.Now()
	for waiting() < p.expected {
		runtime.Gosched()
		if p.clock.Now().Sub(begin) > p.commit/patience {
			return
		}
	}
}
