package confirmation_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli/confirmation"
)

// TestAsk: what follows begins on a line of its own, wherever the answer comes from.
func TestAsk(t *testing.T) {
	t.Parallel()
	const none = "not confirmed; nothing was changed; a script writes ada/notes to standard input"
	for name, row := range map[string]struct{ in, want string }{
		"the word":       {"ada/notes\n", ""},
		"without an end": {"ada/notes", ""},
		"another":        {"ada/note\n", "the second repo does not match; nothing was changed"},
		"an empty line":  {"\n", none},
		"nothing":        {"", none},
	} {
		var out strings.Builder
		got := ""
		if err := confirmation.Ask(strings.NewReader(row.in), &out, "repo", "ada/notes"); err != nil {
			got = err.Error()
		}
		if got != row.want || out.String() != "This cannot be undone. Type ada/notes again to go on: \n" {
			t.Errorf("%s: %q after %q; want %q", name, got, out.String(), row.want)
		}
	}
}
