package consoleresources_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/resource/resourcetest"
	"stoa.dev/stoa/internal/service/tasks/consoleresources"
)

// TestAll looks for names that are missing or taken. That the operations are there is
// checked against the route table, in test/product.
func TestAll(t *testing.T) {
	t.Parallel()
	if err := resourcetest.Check(consoleresources.All(), nil); err != nil {
		t.Error(err)
	}
}
