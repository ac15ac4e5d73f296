package pacing

import (
	"runtime"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Pacer decides how long the writer waits for company before it starts the
// next batch. Those who were just answered are likely to come back at once; if
// the writer ran ahead with those who are there already, the two groups would
// take turns and each fsync serve only one of them. A lone client is never
// delayed: after a batch of one, with no writer waiting, no other is expected.
type Pacer struct {
	Clock clock.Clock
	// MaxBatch is how many can be served together.
	MaxBatch int

	answered int           // size of the last batch
	commit   time.Duration // smoothed duration of a commit
	member   time.Duration // smoothed duration of one transaction before the commit
}

// The wait ends when no writer came for an eighth of a commit's duration, and
// after half of one at the latest: then waiting costs more than it saves.
const (
	quietPart = 8
	longPart  = 2
)

// Serving notes the size of the batch that is about to run.
func (p *Pacer) Serving(n int) { p.answered = n }

// Committed notes how long a commit took.
func (p *Pacer) Committed(d time.Duration) {
	p.commit += (d - p.commit) / 8
}

// Ran notes how long the transactions of a batch took before their commit.
func (p *Pacer) Ran(n int, d time.Duration) {
	p.member += (d/time.Duration(n) - p.member) / 8
}

// busyParts is how many times longer than their commit transactions run that are
// not worth waiting beside.
const busyParts = 4

// busy reports whether n transactions take so much longer than their commit that a
// larger batch would save little. The next one comes together while they run.
func (p *Pacer) busy(n int) bool { return time.Duration(n)*p.member > busyParts*p.commit }

// Gather yields to the clients until those who were answered last wait again
// beside those who wait now, or until it is no longer worth it.
func (p *Pacer) Gather(waiting func() int) {
	seen := waiting()
	expected := min(p.answered+seen, p.MaxBatch)
	if expected < 2 || p.busy(seen) {
		return
	}
	begin := p.Clock.Now()
	last := begin
	for {
		runtime.Gosched()
		n := waiting()
		if n >= expected || p.busy(n) {
			return
		}
		now := p.Clock.Now()
		if n > seen {
			seen, last = n, now
		}
		if now.Sub(last) > p.commit/quietPart || now.Sub(begin) > p.commit/longPart {
			return
		}
	}
}
