package jobs

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestClaimLooksAtItsKindsOnly reads SQLite's plan: a backlog of one kind must
// cost the claims of others nothing, in the one transaction all writers wait for.
func TestClaimLooksAtItsKindsOnly(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, Migrations())
	text := newClaimQueries([]string{"a", "b"}, "")
	now := database.Time(clock.Real().Now())
	for name, q := range map[string]struct {
		sql  string
		args []any
	}{
		"take": {text.take, append([]any{now, 1, "owner", now}, text.kinds...)},
		"next": {text.next, text.kinds},
	} {
		steps, err := database.All(t.Context(), db, func(s database.Scanner) (step string, err error) {
			var id, parent, unused int
			err = s.Scan(&id, &parent, &unused, &step)
			return step, err
		}, "EXPLAIN QUERY PLAN "+q.sql, q.args...)
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(steps, "\n")
		if got := strings.Count(plan, "INDEX stoa_jobs_claim (kind=?"); got != len(text.kinds) || strings.Contains(plan, "SCAN stoa_jobs") {
			t.Errorf("%s looks up %d kinds by the index, want %d and no scan:\n%s", name, got, len(text.kinds), plan)
		}
	}
}
