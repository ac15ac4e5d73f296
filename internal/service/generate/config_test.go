package generate

import (
	"testing"

	"stoa.dev/stoa/internal/service/generate/api"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	if err := (Config{Models: []api.Model{{ID: "x", Backend: "oracle"}}}).Validate(); err == nil {
		t.Error("a nonsense configuration passed")
	}
}
