package clientconduct_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/conduct/conducttest"
	"stoa.dev/stoa/internal/service/snapshots/clientconduct"
)

func TestRules(t *testing.T) {
	t.Parallel()
	conducttest.Stated(t, "snapshots", clientconduct.Rules())
}
