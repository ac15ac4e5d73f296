package columns_test

import (
	"testing"

	"stoa.dev/stoa/internal/app/cli/columns"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	const text = `A paragraph that is longer than the width of this terminal is.

Examples:
  stoa a command that is copied and stays on one line whatever its length is

Flags:
      --name text    words that go on below themselves, not below the name
      --a-flag-with-a-name-that-is-long text   words
`
	const want = `A paragraph that is longer than the width of
this terminal is.

Examples:
  stoa a command that is copied and stays on one line whatever its length is

Flags:
      --name text    words that go on below
                     themselves, not below
                     the name
      --a-flag-with-a-name-that-is-long text
        words
`
	if got := columns.Help(text, 45); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := columns.Help(text, 200); got != text {
		t.Errorf("where it fits it became\n%s", got)
	}
}
