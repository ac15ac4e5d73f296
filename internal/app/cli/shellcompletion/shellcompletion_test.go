package shellcompletion_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/choice"
	"stoa.dev/stoa/internal/app/cli/shellcompletion"
)

// program is a tree with a command of each kind.
func program() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "stoa", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().String("data", "", "data `folder`")
	root.PersistentFlags().String("world", "", "use this `world`")
	serve := &cobra.Command{Use: "serve", Run: run}
	var dialect string
	serve.Flags().Var(&choice.Flag{Value: &dialect, Options: []string{"sdk", "neutral"}}, "dialect", "words")
	serve.Flags().String("service", "", "one of them")
	serve.Flags().String("user", "", "a name")
	serve.Flags().String("rules", "", "YAML `file` with rules")
	world := &cobra.Command{Use: "world"}
	world.AddCommand(&cobra.Command{Use: "save WORLD SNAPSHOT", Run: run}, &cobra.Command{Use: "import FILE", Run: run})
	root.AddCommand(serve, world, &cobra.Command{Use: "read FILE...", Run: run},
		&cobra.Command{Use: "exec [flags] -- COMMAND [ARG]...", Run: run}, &cobra.Command{Use: "env [SERVICE]", Run: run})
	shellcompletion.Names{
		"world":   func(context.Context) []string { return []string{"first", "second"} },
		"service": func(context.Context) []string { return []string{"tasks"} },
	}.Propose(root)
	return root
}

func TestPropose(t *testing.T) {
	t.Parallel()
	const nothing, files = ":4", ":0"
	for _, row := range []struct{ typed, want string }{
		{"env ", "tasks :4"},
		{"env tasks ", nothing},
		{"world save ", "first second :4"},
		{"world save f", "first second :4"}, // the shell leaves out what does not begin so
		{"world save first ", nothing},
		{"world import ", files},
		{"read a b ", files},
		{"exec -- ", files},
		{"serve ", nothing},
		{"serve --dialect ", "sdk neutral :4"},
		{"serve --service ", "tasks :4"},
		{"serve --user ", nothing},
		{"serve --rules ", files},
		{"serve --data ", files},
		{"serve --world ", "first second :4"},
	} {
		root := program()
		var out strings.Builder
		root.SetOut(&out)
		root.SetErr(&strings.Builder{})
		root.SetArgs(slices.Concat([]string{cobra.ShellCompNoDescRequestCmd}, strings.Split(row.typed, " ")))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != row.want {
			t.Errorf("%q: got %q, want %q", row.typed, got, row.want)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	if !shellcompletion.Asked([]string{"__complete", "env", ""}) || shellcompletion.Asked([]string{"env"}) ||
		shellcompletion.Asked(nil) {
		t.Error("a shell is not told from a user")
	}
}
