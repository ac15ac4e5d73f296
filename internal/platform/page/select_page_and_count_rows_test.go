package page_test

import (
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/page"
)

func TestList(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for _, tc := range []struct {
			name  string
			n     page.Numbers
			want  []int64
			total int64
		}{
			{"full page", page.Numbers{Page: 1, Size: 2}, []int64{5, 4}, 4},
			{"last page", page.Numbers{Page: 2, Size: 3}, []int64{2}, 4},
			{"all", page.Numbers{Page: 1, Size: 9}, []int64{5, 4, 3, 2}, 4},
			{"beyond", page.Numbers{Page: 3, Size: 2}, nil, 4},
		} {
			scan := func(s database.Scanner) (n int64, err error) { return n, s.Scan(&n) }
			got, total, err := page.List(t.Context(), db, scan, tc.n, `SELECT n`,
				`FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5) AS five WHERE n > $1`,
				`ORDER BY n DESC`, 1)
			if err != nil || !slices.Equal(got, tc.want) || total != tc.total {
				t.Errorf("%s: got %v of %d, %v; want %v of %d", tc.name, got, total, err, tc.want, tc.total)
			}
		}
	})
}
