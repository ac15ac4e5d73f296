package quickadd

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzQuickAdd: whatever is typed becomes an event with an end after its start.
func FuzzQuickAdd(f *testing.F) {
	fuzztest.Strings(f, "Lunch tomorrow 12:30-13:45", "today", "99:99", "monday 25am", strings.Repeat("9", 400),
		"\x00 at 3pm", "10-9pm x")
	now := time.Date(2026, 3, 28, 23, 59, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		e := Parse(text, now, time.UTC)
		if e.Start == nil || e.End == nil || e.End.Key().Before(e.Start.Key()) {
			t.Errorf("%q: from %v to %v", text, e.Start, e.End)
		}
	})
}
