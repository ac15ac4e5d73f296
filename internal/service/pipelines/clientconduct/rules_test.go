package clientconduct_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/conduct/conducttest"
	"stoa.dev/stoa/internal/service/pipelines/clientconduct"
)

func TestRules(t *testing.T) {
	t.Parallel()
	conducttest.Stated(t, "pipelines", clientconduct.Rules())
}
