package runcount_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/sandbox/runcount"
)

func TestCounter(t *testing.T) {
	var c runcount.Counter
	end := c.Begin()
	c.Begin()(runcount.Killed)
	c.Refuse()
	if got, want := c.Read(), (runcount.Counts{Running: 1, Killed: 1, Refused: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	end(runcount.Done)
	if got := c.Read(); got.Running != 0 || got.Done != 1 {
		t.Errorf("%+v after the end", got)
	}
}
