package reason_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/calendar/reason"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*reason.Error{
		"invalid/f/f is x":                                    reason.Invalid("f", "%s is %s", "f", "x"),
		"required/f/f is required":                            reason.Required("f"),
		"timeRangeEmpty/f/The specified time range is empty.": reason.TimeRange("f"),
		"quotaExceeded//" + strings.Repeat("a", 60) + "…": reason.New(reason.CodeQuota, "", "%s",
			reason.Clip(strings.Repeat("a", 61))),
	} {
		var found *reason.Error
		if !errors.As(error(err), &found) || string(err.Code)+"/"+err.Field+"/"+err.Error() != want {
			t.Errorf("got %+v, want %s", err, want)
		}
	}
}

// TestCodesAreUnique: no two refusals have the same word.
func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[reason.Code]bool{}
	for _, c := range reason.Codes() {
		if c == "" || seen[c] {
			t.Errorf("the code %q is empty or there twice", c)
		}
		seen[c] = true
	}
}

// TestReason: the operator is told more than the caller.
func TestReason(t *testing.T) {
	t.Parallel()
	err := reason.New(reason.CodeNotFound, "", "Not Found")
	if got := err.Reason(); got != "Not Found" {
		t.Errorf("got %q", got)
	}
	err = err.Because("it is not shared")
	if err.Reason() != "Not Found: it is not shared" || err.Error() != "Not Found" {
		t.Errorf("got %q to the operator, %q to the caller", err.Reason(), err)
	}
}
