package plain_test

import (
	"testing"

	"stoa.dev/stoa/internal/app/cli/plain"
)

// TestPrintedError: message and next step of a program that ended come back apart.
func TestPrintedError(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ output, message, next string }{
		{"Console http://x\nstoa: not read: STOA_X\nstoa: it holds users\nand more\n      leave --demo out\n      or not\n",
			"it holds users and more", "leave --demo out or not"},
		{"stoa: gone\n", "gone", ""},
		{"panic: x\n", "without a word", ""},
		{"", "without a word", ""},
	} {
		message, next := plain.PrintedError([]byte(row.output))
		if message != row.message || next != row.next {
			t.Errorf("%q: got %q and %q, want %q and %q", row.output, message, next, row.message, row.next)
		}
	}
}
