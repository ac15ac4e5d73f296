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
