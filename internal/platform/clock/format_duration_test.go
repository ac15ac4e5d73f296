package clock_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", time.Nanosecond: "1ns", 1500 * time.Millisecond: "1.5s", 10 * time.Second: "10s", 90 * time.Second: "1m30s",
		10 * time.Minute: "10m", 15 * time.Minute: "15m", time.Hour: "1h", 90 * time.Minute: "1h30m", 20 * time.Hour: "20h",
		24 * time.Hour: "1d", 36 * time.Hour: "36h", 9600 * time.Hour: "400d", -48 * time.Hour: "-2d",
		time.Hour + time.Second: "1h0m1s", 1<<63 - 1: "2562047h47m16.854775807s",
	} {
		got := clock.FormatDuration(d)
		if got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
		if again, err := clock.ParseDuration(got); err != nil || again != d {
			t.Errorf("%q is read as %v: %v", got, again, err)
		}
	}
}
