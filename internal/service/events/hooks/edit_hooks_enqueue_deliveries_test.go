package hooks_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/events/hooks"
)

// TestSignature is the example that the documentation of the public service prints.
func TestSignature(t *testing.T) {
	t.Parallel()
	const want = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	if got := hooks.Signature("It's a Secret to Everybody", []byte("Hello, World!")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
