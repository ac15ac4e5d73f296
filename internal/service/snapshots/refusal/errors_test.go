package refusal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	if err := refusal.Invalid("priority is normal or low, not %q", long); len(err.Message) > 2000 {
		t.Errorf("%d bytes of what the caller wrote are repeated", len(err.Message))
	}
	cause := errors.New("line 1")
	if err := refusal.Cause("graph_def", cause); err.Error() != "graph_def: line 1" || !errors.Is(err, cause) ||
		err.Reason() != "bad_request" {
		t.Errorf("got %v, %s", err, err.Reason())
	}
	if err := fmt.Errorf("find: %w", refusal.Missing("event")); !refusal.IsMissing(err) {
		t.Errorf("%v does not count as missing", err)
	}
	if refusal.IsMissing(cause) || refusal.IsMissing(refusal.Invalid("no")) {
		t.Error("what is wrong counts as missing")
	}
}
