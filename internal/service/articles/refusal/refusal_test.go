package refusal_test

import (
	"errors"
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/service/articles/refusal"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		err  error
		want bool
	}{
		{"refusal", refusal.New(refusal.Forbidden, "not %s", "yours"), true},
		{"wrapped", fmt.Errorf("find: %w", refusal.Missing()), true},
		{"failure", errors.New("disk"), false},
		{"nil", nil, false},
	} {
		if got := refusal.Is(tc.err); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
	if got := refusal.Missing().Error(); got != "not_found: Not found" {
		t.Errorf("got %q", got)
	}
}
