package refusal_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/calendar/refusal"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*refusal.Error{
		"invalid/f/f is x":                                    refusal.Invalid("f", "%s is %s", "f", "x"),
		"required/f/f is required":                            refusal.Required("f"),
		"timeRangeEmpty/f/The specified time range is empty.": refusal.TimeRange("f"),
		"quotaExceeded//" + strings.Repeat("a", 60) + "…": refusal.New(refusal.CodeQuota, "", "%s",
			refusal.Clip(strings.Repeat("a", 61))),
	} {
		var found *refusal.Error
		if !errors.As(error(err), &found) || string(err.Code)+"/"+err.Field+"/"+err.Error() != want {
			t.Errorf("got %+v, want %s", err, want)
		}
	}
}

// TestReason: the operator is told more than the caller.
func TestReason(t *testing.T) {
	t.Parallel()
	err := refusal.New(refusal.CodeNotFound, "", "Not Found")
	if got := err.Reason(); got != "Not Found" {
		t.Errorf("got %q", got)
	}
	err = err.Because("it is not shared")
	if err.Reason() != "Not Found: it is not shared" || err.Error() != "Not Found" {
		t.Errorf("got %q to the operator, %q to the caller", err.Reason(), err)
	}
}
