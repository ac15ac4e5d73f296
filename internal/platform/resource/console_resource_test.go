package resource_test

import (
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/resource"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]string{
		"/lists":                        nil,
		"/lists/{list}/tasks/{task_id}": {"list", "task_id"},
		"/files/{path...}":              {"path"},
	} {
		if got := resource.Parameters(pattern); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
