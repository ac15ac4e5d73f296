package limit

import (
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(Migrations())

func TestMain(m *testing.M) { goleak.VerifyTestMain(databases.Main(m)) }
