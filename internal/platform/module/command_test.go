package module_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

func sample() module.Command {
	return module.Command{
		Path: "user add",
		Args: []module.Arg{{Name: "name"}, {Name: "alias", Optional: true, Many: true}},
		Flags: []module.Flag{
			{Name: "admin", Kind: module.Bool},
			{Name: "kind", OneOf: []string{"web", "app"}, Required: true},
			{Name: "days", Kind: module.Int},
			{Name: "ttl", Kind: module.Duration},
			{Name: "scope", Kind: module.Texts},
		},
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := func() map[string][]string {
		return map[string][]string{"name": {"ada"}, "kind": {"web"}}
	}
	for _, row := range []struct {
		name   string
		change func(map[string][]string)
		want   string
	}{
		{"complete", func(map[string][]string) {}, ""},
		{"missing argument", func(v map[string][]string) { delete(v, "name") }, "NAME is missing"},
		{"argument twice", func(v map[string][]string) { v["name"] = []string{"a", "b"} }, "NAME is given more than once"},
		{"many is fine", func(v map[string][]string) { v["alias"] = []string{"a", "b"} }, ""},
		{"missing flag", func(v map[string][]string) { delete(v, "kind") }, "--kind is missing"},
		{"flag twice", func(v map[string][]string) { v["kind"] = []string{"web", "app"} }, "--kind is given more than once"},
		{"texts twice", func(v map[string][]string) { v["scope"] = []string{"a", "b"} }, ""},
		{"not one of", func(v map[string][]string) { v["kind"] = []string{"tv"} }, `"tv" is not one of web, app`},
		{"bad bool", func(v map[string][]string) { v["admin"] = []string{"yes"} }, `"yes" is not true or false`},
		{"bad int", func(v map[string][]string) { v["days"] = []string{"1.5"} }, `"1.5" is not a whole number`},
		{"bad duration", func(v map[string][]string) { v["ttl"] = []string{"soon"} }, `duration such as 90m, 1h30m or 7d, not "soon"`},
		{"unknown", func(v map[string][]string) { v["nonsense"] = []string{"1"} }, `unknown argument "nonsense"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			values := good()
			row.change(values)
			err := sample().Check(values)
			if row.want == "" {
				if err != nil {
					t.Fatalf("err = %v, want nil", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("err = %v, want it to contain %q", err, row.want)
			}
			var failure *module.CommandError
			if !errors.As(err, &failure) || failure.Failure != module.Usage || failure.Next == "" {
				t.Fatalf("err = %#v, want a usage failure with a next step", err)
			}
		})
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	in := module.Input{Values: map[string][]string{
		"name": {"ada"}, "admin": {"true"}, "days": {"3"}, "ttl": {"90m"}, "scope": {"a", "b"},
	}}
	if got := in.Text("name"); got != "ada" {
		t.Errorf("Text = %q, want ada", got)
	}
	if got := in.Text("none"); got != "" || in.Has("none") {
		t.Errorf("Text of an absent value = %q, want empty", got)
	}
	if !in.Bool("admin") || in.Int("days") != 3 || in.Duration("ttl") != 90*time.Minute {
		t.Errorf("typed values = %v %v %v", in.Bool("admin"), in.Int("days"), in.Duration("ttl"))
	}
	if got := strings.Join(in.Texts("scope"), ","); got != "a,b" {
		t.Errorf("Texts = %q, want a,b", got)
	}
}

func TestExitCodesAreStable(t *testing.T) {
	t.Parallel()
	for failure, want := range map[module.Failure]int{
		module.Failed: 1, module.Usage: 2, module.NotFound: 3,
		module.Conflict: 4, module.Owned: 5, module.Config: 6, "else": 1,
	} {
		if got := failure.ExitCode(); got != want {
			t.Errorf("%s exits %d, want %d", failure, got, want)
		}
	}
}

func TestUsageLine(t *testing.T) {
	t.Parallel()
	if got, want := sample().Line(), "user add NAME [ALIAS...]"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ message, next, want string }{
		{"the name is taken", "choose another name", "The name is taken. Choose another name."},
		{"there is none", "", "There is none."},
		{"élan is taken.", "did you mean elan?", "Élan is taken. Did you mean elan?"},
		{"nothing to change", "stoa user set --help says more", "Nothing to change. stoa user set --help says more."},
	} {
		if got := module.Fail(module.Usage, c.next, "%s", c.message).Sentences(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
