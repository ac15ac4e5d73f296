package ownershiptest_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/ownership"
	"stoa.dev/stoa/internal/platform/ownership/ownershiptest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	count, remove := `SELECT COUNT(*) FROM a_b WHERE o = $1`, `DELETE FROM a_b WHERE o = $1`
	foreign := `DELETE FROM c_d WHERE o = $1`
	for name, row := range map[string]struct {
		rows ownership.Rows
		good bool
	}{
		"counted":       {ownership.Rows{Of: ownership.User, Effect: ownership.Blocks, What: "b", SQL: count}, true},
		"deleted":       {ownership.Rows{Of: ownership.User, Effect: ownership.Deleted, SQL: remove}, true},
		"no owner":      {ownership.Rows{Effect: ownership.Deleted, SQL: remove}, false},
		"no name":       {ownership.Rows{Of: ownership.User, Effect: ownership.Mentions, SQL: count}, false},
		"wrong verb":    {ownership.Rows{Of: ownership.User, Effect: ownership.Deleted, SQL: count}, false},
		"all rows":      {ownership.Rows{Of: ownership.User, Effect: ownership.Deleted, SQL: `DELETE FROM a_b`}, false},
		"foreign table": {ownership.Rows{Of: ownership.User, Effect: ownership.Deleted, SQL: foreign}, false},
	} {
		if err := ownershiptest.Check([]ownership.Rows{row.rows}, "a_"); (err == nil) != row.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
