package arguments_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/platform/module"
)

// TestKnownCommand proposes the command that means what was typed.
func TestKnownCommand(t *testing.T) {
	t.Parallel()
	parent := &cobra.Command{Use: "inbox"}
	for _, name := range []string{"add", "remove", "list", "messages"} {
		parent.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for typed, want := range map[string]string{
		"create": "did you mean inbox add?", "delete": "did you mean inbox remove?", "ls": "did you mean inbox list?",
		"lsit": "did you mean inbox list?", "paint": "see inbox --help",
	} {
		var refused *module.CommandError
		if !errors.As(arguments.KnownCommand(parent, []string{typed}), &refused) || !strings.HasPrefix(refused.Next, want) {
			t.Errorf("%s: %+v, want %q", typed, refused, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	c := &cobra.Command{Use: "conduct"}
	for _, test := range []struct {
		check cobra.PositionalArgs
		args  []string
		want  string
	}{
		{arguments.Optional("WORLD"), nil, ""},
		{arguments.Optional("WORLD"), []string{"first"}, ""},
		{
			arguments.Optional("WORLD"), []string{"report", "first"},
			`unexpected argument "first": conduct takes one WORLD at most; see conduct --help`,
		},
		{arguments.Words("WORLD", "NAME"), []string{"first"}, "NAME is missing; see conduct --help"},
		{arguments.Words("WORLD"), []string{"first", "second"}, `unexpected argument "second"; see conduct --help`},
		{arguments.Words("WORLD"), []string{"first"}, ""},
	} {
		got := ""
		if err := test.check(c, test.args); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.args, got, test.want)
		}
	}
}
