package leftout_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/leftout"
)

// TestOnSystem: what a system lacks is what the packages behind it refuse there.
func TestOnSystem(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ system, processor, want string }{
		{"linux", "amd64", ""}, {"linux", "arm64", leftout.LocalModels},
		{"darwin", "arm64", leftout.Sandbox + ", " + leftout.LocalModels},
		{"windows", "amd64", leftout.Sandbox + ", " + leftout.LocalModels},
	} {
		if got := strings.Join(leftout.OnSystem(row.system, row.processor), ", "); got != row.want {
			t.Errorf("%s/%s: %q, want %q", row.system, row.processor, got, row.want)
		}
	}
}

// TestRefuse names setting, part and the way out, in the small build alone.
func TestRefuse(t *testing.T) {
	t.Parallel()
	if err := leftout.Refuse("log.otlp", false, leftout.Traces); err != nil {
		t.Errorf("a setting that is not set is refused: %v", err)
	}
	err := leftout.Refuse("log.otlp", true, leftout.Traces)
	var part *leftout.Error
	if leftout.Small != errors.As(err, &part) {
		t.Fatalf("small %v: %v", leftout.Small, err)
	}
	if (len(leftout.Parts()) > 0) != leftout.Small {
		t.Errorf("small %v: without %q", leftout.Small, leftout.Parts())
	}
	text := (&leftout.Error{Part: leftout.Traces}).Error()
	if !strings.Contains(text, leftout.Traces) || !strings.Contains(text, "full") {
		t.Errorf("%q names neither the part nor the way out", text)
	}
}
