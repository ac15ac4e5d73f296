package tally_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/deliver/tally"
)

// TestRead; what is counted when is tested with the engine.
func TestRead(t *testing.T) {
	var c tally.Counter
	c.Retried.Add(2)
	if got, want := c.Read(), (tally.Attempts{Retried: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
