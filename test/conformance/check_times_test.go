package conformance_test

import (
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// TestNoMachineTime calls every service in worlds whose clocks stand or run far
// from the machine's: no answer shows the machine's time. `make times` runs all
// rows at three dates and on a fast clock. Not parallel: it changes the date that
// servers begin at.
func TestNoMachineTime(t *testing.T) {
	for _, row := range []struct{ name, began, rate string }{
		{"frozen", "2055-08-07T06:05:04Z", ""},
		{"running", "2019-03-04T05:06:07Z", "3600"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("STOA_BEGAN", row.began)
			t.Setenv("STOA_RATE", row.rate)
			allAnswers(t, func(t *testing.T, o conformance.Options) *conformance.Server {
				t.Helper()
				o.Unobserved = true // hours go by between two requests, and answers say so
				return conformance.Start(t, o)
			})
		})
	}
}

// TestSameBytes calls every service twice, in two worlds that begin alike, and
// compares all bytes. `make same` does so with all rows.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	conformance.Twice(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		allAnswers(t, func(t *testing.T, o conformance.Options) *conformance.Server {
			t.Helper()
			// How far a real process has come is not the same twice.
			configure := o.Configure
			o.Configure = func(c *app.Config) {
				if configure != nil {
					configure(c)
				}
				c.Pipelines.Concurrency = 0
			}
			return open(t, o)
		})
	})
}
