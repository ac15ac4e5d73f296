package declaredflags_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/declaredflags"
	"stoa.dev/stoa/internal/platform/module"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	c := &cobra.Command{Use: "add"}
	collect := declaredflags.Add(c, []module.Flag{
		{Name: "name"}, {Name: "kind", Default: "api", OneOf: []string{"api", "web"}, Required: true},
		{Name: "scope", Kind: module.Texts}, {Name: "private", Kind: module.Bool}, {Name: "never", Kind: module.Bool},
	})
	if got := c.Flag("kind").Usage; got != "(api, web) (required)" {
		t.Errorf("help = %q", got)
	}
	if err := c.ParseFlags([]string{"--name=", "--scope", "a", "--scope", "b", "--private=false"}); err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	collect(values)
	want := map[string][]string{"name": {""}, "kind": {"api"}, "scope": {"a", "b"}, "private": {"false"}}
	if !maps.EqualFunc(values, want, slices.Equal) {
		t.Errorf("got %v, want %v", values, want)
	}
}
