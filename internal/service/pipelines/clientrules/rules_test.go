package clientrules_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/conduct/conducttest"
	"stoa.dev/stoa/internal/service/pipelines/clientrules"
)

func TestRules(t *testing.T) {
	t.Parallel()
	conducttest.Stated(t, "pipelines", clientrules.Rules())
}
