package smallbuild_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/smallbuild"
)

// TestOnSystem: what a system lacks is what the packages behind it refuse there.
func TestOnSystem(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ system, processor, want string }{
		{"linux", "amd64", ""}, {"linux", "arm64", smallbuild.LocalModels},
		{"darwin", "arm64", smallbuild.Sandbox + ", " + smallbuild.LocalModels},
		{"windows", "amd64", smallbuild.Sandbox + ", " + smallbuild.LocalModels},
	} {
		if got := strings.Join(smallbuild.OnSystem(row.system, row.processor), ", "); got != row.want {
			t.Errorf("%s/%s: %q, want %q", row.system, row.processor, got, row.want)
		}
	}
}

// TestRefuse names setting, part and the way out, in the small build alone.
func TestRefuse(t *testing.T) {
	t.Parallel()
	if err := smallbuild.Refuse("log.otlp", false, smallbuild.Traces); err != nil {
		t.Errorf("a setting that is not set is refused: %v", err)
	}
	err := smallbuild.Refuse("log.otlp", true, smallbuild.Traces)
	var part *smallbuild.Error
	if smallbuild.Enabled != errors.As(err, &part) {
		t.Fatalf("small %v: %v", smallbuild.Enabled, err)
	}
	if (len(smallbuild.Missing()) > 0) != smallbuild.Enabled {
		t.Errorf("small %v: without %q", smallbuild.Enabled, smallbuild.Missing())
	}
	text := (&smallbuild.Error{Part: smallbuild.Traces}).Error()
	if !strings.Contains(text, smallbuild.Traces) || !strings.Contains(text, "full") {
		t.Errorf("%q names neither the part nor the way out", text)
	}
}
