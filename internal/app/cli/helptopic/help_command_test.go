package helptopic_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/helptopic"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	refused := errors.New("no such command")
	for words, want := range map[string]error{
		"help": nil, "help serve": nil, "help srve": refused, "help serve x": refused,
	} {
		root := &cobra.Command{Use: "stoa", SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs}
		root.AddCommand(&cobra.Command{Use: "serve", Run: func(*cobra.Command, []string) {}})
		root.SetHelpCommand(helptopic.Command(func(*cobra.Command, []string) error { return refused }))
		root.SetArgs(strings.Fields(words))
		root.SetOut(&strings.Builder{})
		if err := root.Execute(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", words, err, want)
		}
	}
}
