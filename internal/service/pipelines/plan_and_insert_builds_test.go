package pipelines

import (
	"strings"
	"testing"
)

// TestSkips counts characters, not bytes: the first 250 of the title and of the body.
func TestSkips(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"fix":                                            false,
		"fix [ci skip]":                                  true,
		"fix\n\n[skip ci]":                               true,
		strings.Repeat("x", 241) + "[skip ci]":           true,
		strings.Repeat("x", 242) + "[skip ci]":           false,
		strings.Repeat("ж", 241) + "[skip ci]":           true,
		strings.Repeat("ж", 242) + "[skip ci]":           false,
		"x\n\n" + strings.Repeat("試", 200) + "[ci skip]": true,
		"x\n\n" + strings.Repeat("試", 250) + "[ci skip]": false,
	} {
		if got := skips(message); got != want {
			t.Errorf("skips(%.20q of %d bytes) = %t, want %t", message, len(message), got, want)
		}
	}
}
