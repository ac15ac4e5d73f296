package ownedrows_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/ownership/ownershiptest"
	"stoa.dev/stoa/internal/service/pipelines/ownedrows"
)

// TestAll looks at the form of the statements. That every table with an owner has one is
// checked against the migrations, in internal/app.
func TestAll(t *testing.T) {
	t.Parallel()
	if err := ownershiptest.Check(ownedrows.All(), "pipelines_"); err != nil {
		t.Error(err)
	}
}
