package clientconduct_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/conduct/conducttest"
	"stoa.dev/stoa/internal/service/device/clientconduct"
)

func TestRules(t *testing.T) {
	t.Parallel()
	conducttest.Stated(t, "device", clientconduct.Rules())
}
