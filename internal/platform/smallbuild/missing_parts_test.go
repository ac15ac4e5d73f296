package smallbuild_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/smallbuild"
)

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
