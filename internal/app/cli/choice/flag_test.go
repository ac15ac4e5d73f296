package choice_test

import (
	"testing"

	"stoa.dev/stoa/internal/app/cli/choice"
)

func TestFlag(t *testing.T) {
	t.Parallel()
	var value string
	f := choice.Flag{Value: &value, Options: []string{"a", "b"}}
	if err := f.Set("c"); err == nil || err.Error() != "choose a or b" || value != "" {
		t.Errorf("got %v and %q", err, value)
	}
	if err := f.Set("b"); err != nil || value != "b" || f.String() != "b" {
		t.Errorf("got %v and %q", err, value)
	}
}
