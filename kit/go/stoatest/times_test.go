package stoatest_test

import (
	"testing"

	"stoa.dev/stoa/kit/go/stoatest"
)

// What is not a time is refused with the option and the value.
func TestAtTakesTimes(t *testing.T) {
	t.Parallel()
	err := stoatest.OptionError(stoatest.At("2026-03-01"))
	if err == nil || err.Error() != `At: "2026-03-01" is not a time such as 2026-03-01T09:00:00Z` {
		t.Errorf("got %v", err)
	}
	for _, good := range []string{"2026-03-01T09:00:00Z", "2026-03-01T09:00:00.5+01:00"} {
		if err := stoatest.OptionError(stoatest.At(good)); err != nil {
			t.Error(err)
		}
	}
}
