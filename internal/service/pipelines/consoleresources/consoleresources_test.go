package consoleresources_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/service/pipelines/consoleresources"
)

// TestAll looks for names that are missing or taken. That the operations are there is
// checked against the route table, in test/product.
func TestAll(t *testing.T) {
	t.Parallel()
	there := func(resource.Call) ([]string, bool) { return nil, true }
	if err := resource.Check(consoleresources.All("/vcs_a"), there); err != nil {
		t.Error(err)
	}
}
