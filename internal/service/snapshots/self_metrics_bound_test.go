package snapshots

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

// TestOwnMetricsThatCannotBeStored: samples that the store does not take wait, and no more of them than are allowed.
func TestOwnMetricsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	store := metrics.NewLocal(metrics.Options{Dir: t.TempDir()})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	o := &selfRecorder{store: store}
	const points = 500
	for range 10 * maxWaiting / points {
		o.wait(make([]metrics.Series, points))
		if err := o.flush(t.Context()); !errors.Is(err, metrics.ErrClosed) {
			t.Fatalf("flush: %v, want %v", err, metrics.ErrClosed)
		}
	}
	held := 0
	for _, batch := range o.waiting {
		held += len(batch)
	}
	if held > maxWaiting || held != o.points {
		t.Errorf("%d points wait and %d are counted, at most %d may", held, o.points, maxWaiting)
	}
}
