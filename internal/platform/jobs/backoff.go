package jobs

import (
	"time"

	"stoa.dev/stoa/internal/platform/ids"
)

const (
	firstBackoff = time.Second
	maxBackoff   = time.Hour
	// backoffJitter is the share of the wait that is drawn at random, so that
	// what failed together is not retried together.
	backoffJitter = 0.1
)

// backoff is how long a job waits after the given attempt failed: 1 s, 2 s,
// 4 s … up to an hour, give or take a tenth.
func backoff(attempt int, source *ids.Source) time.Duration {
	wait := firstBackoff
	for i := 1; i < attempt && wait < maxBackoff; i++ {
		wait *= 2
	}
	return time.Duration(float64(min(wait, maxBackoff)) * (1 + backoffJitter*(2*source.Float64()-1)))
}
