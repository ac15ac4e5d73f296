package machine

import (
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// ExamineClock says what time the machine has, and whether its kernel takes that for the
// world's.
func ExamineClock() Finding {
	const check = "clock"
	now := clock.Real().Now().UTC().Format(time.RFC3339)
	synchronized, known := synchronized()
	switch {
	case !known:
		return Finding{check, Good, now + "; whether it is kept in time is not known here", ""}
	case !synchronized:
		return Finding{check, Warn, now + "; nothing keeps it in time",
			"run a time service, such as chrony: signatures, tokens and certificates depend on the clock"}
	}
	return Finding{check, Good, now + ", kept in time", ""}
}
