package sdkclients

import (
	"maps"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/module"
)

// TestTable: every row is of a language that is known, and what is not in the table has
// no package.
func TestTable(t *testing.T) {
	t.Parallel()
	list := clients()
	if len(list) == 0 {
		t.Fatal("the table is empty")
	}
	for _, c := range list {
		if !slices.Contains(Languages(), c.sdk) || c.Package == "" || c.Line == "" {
			t.Errorf("%+v", c)
		}
		if Of(c.service, c.sdk).Package != c.Package {
			t.Errorf("%s of %s is there twice", c.sdk, c.service)
		}
	}
	if c := Of("nothing", "go"); c.Package != "" || c.Line != "" {
		t.Errorf("a client of nothing: %+v", c)
	}
}

// TestVariables takes what the client and the example name, and nothing else.
func TestVariables(t *testing.T) {
	t.Parallel()
	c := Client{Line: "aim(STOA_TOKEN)", variables: []string{"THEIRS=$STOA_KEY"}}
	env := map[string]string{"STOA_URL": "u", "STOA_TOKEN": "t", "STOA_KEY": "k", "STOA_OTHER": "o"}
	want := map[string]string{"STOA_URL": "u", "STOA_TOKEN": "t", "STOA_KEY": "k", "THEIRS": "k"}
	if got := c.Variables(module.Module{}, env); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
