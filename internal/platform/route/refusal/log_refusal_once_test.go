package refusal_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route/refusal"
)

type refused bool

func (refused) Error() string   { return "it is turned off" }
func (r refused) Refused() bool { return bool(r) }

func TestTell(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	var l refusal.Log
	for name, row := range map[string]struct {
		status int
		err    error
		want   bool
	}{
		"a refusal":     {503, fmt.Errorf("look up: %w", refused(true)), true},
		"of its kind":   {503, refused(false), false},
		"a failure":     {503, errors.New("the disk is gone"), false},
		"without a way": {501, errors.New("no such format"), true},
	} {
		for range 2 {
			if got := l.Tell(log, "x", row.status, row.err); got != row.want {
				t.Errorf("%s: %t, want %t", name, got, row.want)
			}
		}
	}
	for i := range 200 {
		l.Tell(log, "x", 501, fmt.Errorf("number %d", i))
	}
	if got := strings.Count(text.String(), "said once"); got != 64 {
		t.Errorf("%d lines, want the bound of 64", got)
	}
}
