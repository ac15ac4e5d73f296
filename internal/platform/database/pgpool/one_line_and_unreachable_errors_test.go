package pgpool_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/database/pgpool"
)

func TestOneLine(t *testing.T) {
	t.Parallel()
	cause := errors.New("failed to connect to `user=x database=y`:\n\t127.0.0.1:1: connection refused\n" +
		"\t127.0.0.1:1: connection refused\n\t[::1]:1: connection refused")
	err := pgpool.OneLine(cause)
	const want = "failed to connect to `user=x database=y`: 127.0.0.1:1: connection refused; [::1]:1: connection refused"
	if err.Error() != want || !errors.Is(err, cause) {
		t.Errorf("got %q, want %q", err, want)
	}
	if got := pgpool.OneLine(errors.New("broken pipe")).Error(); got != "broken pipe" {
		t.Errorf("got %q", got)
	}
}
