package deadline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/deadline"
)

func TestLazy(t *testing.T) {
	t.Parallel()
	now := clock.Real().Now()
	past := &deadline.Lazy{Parent: t.Context(), At: now.Add(-time.Second)}
	if past.Passed() {
		t.Error("it passed before anything waited")
	}
	<-past.Done()
	if !errors.Is(past.Err(), context.DeadlineExceeded) || !past.Passed() {
		t.Errorf("%v, want that it passed", past.Err())
	}
	ended := &deadline.Lazy{Parent: t.Context(), At: now.Add(time.Hour)}
	if at, ok := ended.Deadline(); !ok || !at.Equal(now.Add(time.Hour)) || ended.Err() != nil {
		t.Errorf("ends at %v, %v", at, ended.Err())
	}
	ended.End()
	if !errors.Is(ended.Err(), context.Canceled) || ended.Passed() {
		t.Errorf("%v, want that it was ended", ended.Err())
	}
}
