package spelling_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/spelling"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	names := []string{"tasks.list", "tasks.insert"}
	for text, want := range map[string]string{"tasks.lst": "did you mean tasks.list?", "xyz": ""} {
		if got := spelling.Meant(text, names); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
