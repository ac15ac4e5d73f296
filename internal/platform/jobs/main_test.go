package jobs

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(Migrations())

func TestMain(m *testing.M) {
	if os.Getenv(childFolder) != "" || os.Getenv(childURL) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(databases.Main(m))
}
