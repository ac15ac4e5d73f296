package s3

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
)

// maxPause is the longest pause between two tries of a store that is unavailable.
const maxPause = 2 * time.Second

// WithRetry is the same store, whose operations are tried again for up to d while the bucket is unavailable.
func (s *Store) WithRetry(d time.Duration) blob.Store {
	retrying := *s
	retrying.retryFor = d
	return &retrying
}

// retryUnavailable calls do, and again while the store is unavailable and retryFor has not passed. The waiting is by
// the machine's clock, as the store is a machine's.
func (s *Store) retryUnavailable(ctx context.Context, do func() error) error {
	real := clock.Real()
	until := real.Now().Add(s.retryFor)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, maxPause) {
		err := do()
		if !errors.Is(err, blob.ErrUnavailable) || !real.Now().Add(pause).Before(until) {
			return err
		}
		if sleepErr := clock.Sleep(ctx, real, pause); sleepErr != nil {
			return errors.Join(err, sleepErr)
		}
	}
}
