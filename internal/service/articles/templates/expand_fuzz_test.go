package templates

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A placeholder grows to its value once: what it stands for is not read again.
func FuzzExpand(f *testing.F) {
	fuzztest.Strings(f, "%{Year}-%{month}-%{day} %{me}", "%{%{me}}", "%{", "%{me", "%%{me}}",
		strings.Repeat("%{me}", 100), "%{unknown}", "\x00%{wday}")
	now := time.Date(2026, 3, 28, 23, 59, 0, 0, time.UTC)
	const me = "%{me}%{Year}"
	f.Fuzz(func(t *testing.T, text string) {
		got := expand(text, now, me)
		if limit := len(text) + strings.Count(text, "%{me}")*len(me); len(got) > limit {
			t.Errorf("%q: got %d bytes, want at most %d", text, len(got), limit)
		}
		if !strings.Contains(text, "%{") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
