package nearest_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route/nearest"
)

func TestPath(t *testing.T) {
	t.Parallel()
	patterns := func(yield func(method, pattern string) bool) {
		for _, line := range []string{
			"GET /tasks/v1/lists", "POST /tasks/v1/lists", "GET /tasks/v1/lists/{list}/tasks/{task}", "GET /files/{path...}",
			"GET /{$}", "GET /docs/{$}",
		} {
			if method, pattern, _ := strings.Cut(line, " "); !yield(method, pattern) {
				return
			}
		}
	}
	for path, want := range map[string]string{
		"GET /tasks/v2/lists":            "GET /tasks/v1/lists",
		"POST /tasks/v1/list":            "POST /tasks/v1/lists",
		"GET /tasks/v1/lists/a/task/b":   "GET /tasks/v1/lists/{list}/tasks/{task}",
		"GET /file/a/b/c":                "GET /files/{path...}",
		"GET /something/else/altogether": "",
		"GET /nowhere":                   "",
		"GET /doc/":                      "GET /docs/{$}",
	} {
		method, rest, _ := strings.Cut(path, " ")
		if want != "" {
			want = "; the nearest path that exists is " + want
		}
		if got := nearest.Path(patterns, method, rest); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
