package refusal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

func TestHas(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := fmt.Errorf("wrapped: %w", refusal.Wrap(cause, refusal.Gone, "expired"))
	for _, tc := range []struct {
		name string
		got  bool
		want bool
	}{
		{"any code", refusal.Has(err), true},
		{"the code", refusal.Has(err, refusal.Login, refusal.Gone), true},
		{"another code", refusal.Has(err, refusal.Login), false},
		{"another error", refusal.Has(cause), false},
		{"nil", refusal.Has(nil), false},
		{"the cause", errors.Is(err, cause), true},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, tc.got, tc.want)
		}
	}
}

func TestQuoteIsBounded(t *testing.T) {
	t.Parallel()
	if got := refusal.Quote("short"); got != `"short"` {
		t.Errorf("got %s", got)
	}
	if got := refusal.Quote(strings.Repeat("x", 1000)); len(got) > 70 {
		t.Errorf("%d bytes of 1000 are repeated", len(got))
	}
}
