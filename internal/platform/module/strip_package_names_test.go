package module_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/module"
)

func TestPlainMessage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"deliver: no such delivery: nope":         "no such delivery: nope",
		"stoa.yaml: seal: database: it is closed": "stoa.yaml: it is closed",
		"jobs: limit: blob: not found":            "not found",
		"open x: seal: the key is another one":    "open x: the key is another one",
		"asked of the registry: no answer":        "asked of the registry: no answer",
		"passwords: the hash is not a hash":       "the hash is not a hash",
		"settings are wrong":                      "settings are wrong",
	} {
		if got := module.PlainMessage(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	cause := errors.New("jobs: not found")
	if err := module.Fail(module.NotFound, "", "%w: 7", cause); err.Message != "not found: 7" || !errors.Is(err, cause) {
		t.Errorf("%q, %v", err.Message, err)
	}
}
