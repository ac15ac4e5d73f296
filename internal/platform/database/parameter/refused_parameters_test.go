package parameter_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/parameter"
)

type state string

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		arg  any
		want string
	}{
		{nil, ""}, {1, ""}, {[]byte{0xff}, ""}, {"text", ""}, {state("open"), ""},
		{"a\x00", "NUL"}, {"a\xff", "UTF-8"}, {state("a\x00"), "NUL"}, {time.Time{}, "time.Time"},
	} {
		at, reason := parameter.Refused([]any{"first", row.arg})
		if (reason == "") != (row.want == "") || !strings.Contains(reason, row.want) || reason != "" && at != 1 {
			t.Errorf("%#v: got %d %q, want %q", row.arg, at, reason, row.want)
		}
	}
}
