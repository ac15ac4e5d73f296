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

// TestHelpJoinsLines: where the source breaks a text does not matter.
func TestHelpJoinsLines(t *testing.T) {
	t.Parallel()
	const text = `One paragraph that the source
broke in
three lines.

    stoa copied --as it is
    stoa and another

Usage:
  stoa x [flags]

Flags:
      --name text   words that the source broke
                    in two
  -h, --help        help
`
	for width, want := range map[int]string{
		60: `One paragraph that the source broke in three lines.

    stoa copied --as it is
    stoa and another

Usage:
  stoa x [flags]

Flags:
      --name text   words that the source broke in two
  -h, --help        help
`,
		48: `One paragraph that the source broke in three
lines.

    stoa copied --as it is
    stoa and another

Usage:
  stoa x [flags]

Flags:
      --name text   words that the source broke
                    in two
  -h, --help        help
`,
	} {
		if got := columns.Help(text, width); got != want {
			t.Errorf("width %d: got\n%s\nwant\n%s", width, got, want)
		}
	}
}
