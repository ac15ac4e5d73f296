package backoff

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/ids"
)

const (
	first   = time.Second
	longest = time.Hour
	// jitter is the share of the wait that is drawn at random, so that
	// what failed together is not retried together.
	jitter = 0.1
)

// Wait is how long the job of that id waits after the given attempt failed: 1 s, 2 s,
// 4 s … up to an hour, give or take a tenth.
func Wait(id string, attempt int, source *ids.Source) time.Duration {
	wait := first
	for i := 1; i < attempt && wait < longest; i++ {
		wait *= 2
	}
	return time.Duration(float64(min(wait, longest)) * (1 + jitter*(2*source.Jitter(id+" "+strconv.Itoa(attempt))-1)))
}
