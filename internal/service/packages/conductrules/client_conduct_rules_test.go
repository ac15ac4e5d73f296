package conductrules_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/conduct/conducttest"
	"stoa.dev/stoa/internal/service/packages/conductrules"
)

func TestRules(t *testing.T) {
	t.Parallel()
	conducttest.Stated(t, "packages", conductrules.Rules())
}
