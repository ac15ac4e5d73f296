package clientrules_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/conduct/conducttest"
	"stoa.dev/stoa/internal/service/tasks/clientrules"
)

func TestRules(t *testing.T) {
	t.Parallel()
	conducttest.Stated(t, "tasks", clientrules.Rules())
}
