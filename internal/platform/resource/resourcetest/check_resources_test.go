package resourcetest_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/resource/resourcetest"
)

// TestCheck finds each mistake of a description.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := func() resource.Resource {
		return resource.Resource{
			Name: "lists", Title: "Lists", One: "a list", About: "Lists of yours.", Empty: "None yet.",
			Key:  []resource.Key{{Parameter: "list"}},
			List: resource.Call{Operation: "list"}, Get: resource.Call{Operation: "get"},
			Columns: []resource.Column{{Title: "Name", Pointer: "/name"}},
			Actions: []resource.Action{{Name: "delete", Title: "Delete", One: true, Call: resource.Call{Operation: "get"}}},
		}
	}
	called := func(c resource.Call) ([]string, bool) {
		pattern, ok := map[string]string{"list": "/lists", "get": "/lists/{list}"}[c.Operation]
		return resource.Parameters(pattern), ok
	}
	for name, row := range map[string]struct {
		change func(*resource.Resource)
		want   string
	}{
		"fits":              {func(*resource.Resource) {}, ""},
		"no title":          {func(r *resource.Resource) { r.Title = "" }, "title, one and empty are needed"},
		"no sentence":       {func(r *resource.Resource) { r.About = "" }, "about is needed"},
		"no columns":        {func(r *resource.Resource) { r.Columns = nil }, "it has no columns"},
		"unknown operation": {func(r *resource.Resource) { r.List.Operation = "lost" }, `there is no operation "lost"`},
		"unfilled":          {func(r *resource.Resource) { r.Key = nil }, "nothing fills the parameter list"},
		"unknown parent":    {func(r *resource.Resource) { r.In = "shelves" }, "it lies in shelves, which there is not"},
		"action twice": {func(r *resource.Resource) {
			r.Actions = append(r.Actions, r.Actions[0])
		}, `action "delete": name or title is missing or taken`},
		"undone by nothing": {func(r *resource.Resource) { r.Actions[0].Undo = "add" }, `it cannot be undone by "add"`},
		"no preview": {func(r *resource.Resource) {
			r.Actions[0].Fields = []resource.Field{{Name: "text", Preview: resource.Call{Operation: "lost"}}}
		}, `preview of text: there is no operation "lost"`},
		"not about one": {func(r *resource.Resource) { r.Actions[0].One = false }, "nothing fills the parameter list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := good()
			row.change(&r)
			err := resourcetest.Check([]resource.Resource{r}, called)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("err = %v, want %q", err, row.want)
			}
		})
	}
}
