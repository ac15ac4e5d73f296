package lazydeadline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/route/lazydeadline"
)

// TestContext checks that it ends when its time has come, which can be moved.
func TestContext(t *testing.T) {
	t.Parallel()
	late := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	d := &lazydeadline.Context{Parent: t.Context(), At: late}
	if d.Passed() {
		t.Error("it has passed before anything waited")
	}
	if err := d.Err(); !errors.Is(err, context.DeadlineExceeded) || !d.Passed() {
		t.Errorf("after its time: %v", err)
	}
	d.MoveTo(late.AddDate(1000, 0, 0))
	if err := d.Err(); err != nil || d.Passed() {
		t.Errorf("after it was moved: %v", err)
	}
	d.End()
	if err := d.Err(); !errors.Is(err, context.Canceled) || d.Passed() {
		t.Errorf("after its end: %v", err)
	}
}

// TestErrStartsNoTimer checks that asking for the end costs nothing before it, and that the end
// of the parent and that of the request are seen without a timer.
func TestErrStartsNoTimer(t *testing.T) {
	late := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(100, func() {
		d := &lazydeadline.Context{Parent: t.Context(), At: late}
		if err := d.Err(); err != nil {
			t.Error(err)
		}
		d.End()
	}); n > 1 {
		t.Errorf("a context that is asked allocates %v times, want its own", n)
	}
	parent, leave := context.WithCancel(t.Context())
	d := &lazydeadline.Context{Parent: parent, At: late}
	if err := d.Err(); err != nil {
		t.Errorf("before the parent's end: %v", err)
	}
	if leave(); !errors.Is(d.Err(), context.Canceled) {
		t.Errorf("after the parent's end: %v", d.Err())
	}
	select {
	case <-d.Done():
	default:
		t.Error("Err and Done do not agree")
	}
	d = &lazydeadline.Context{Parent: t.Context(), At: late}
	if d.End(); !errors.Is(d.Err(), context.Canceled) {
		t.Errorf("after its end: %v", d.Err())
	}
}
