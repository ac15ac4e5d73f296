package store

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// plan is how SQLite runs a statement.
func plan(t *testing.T, db *database.DB, sql string, args ...any) string {
	t.Helper()
	steps, err := database.All(t.Context(), db, func(s database.Scanner) (step string, err error) {
		var id, parent, unused int
		err = s.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

// A backlog of one kind must cost the claims of others nothing, in the one
// transaction all writers wait for.
func TestClaimLooksAtItsKindsOnly(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, Migrations())
	q := NewQueries(db, "a", "b")
	now := database.Time(epoch)
	for name, got := range map[string]string{
		"take": plan(t, db, q.take, append([]any{now, 1, "owner", now}, q.kinds...)...),
		"next": plan(t, db, q.next, q.kinds...),
	} {
		if n := strings.Count(got, "INDEX stoa_jobs_claim (kind=?"); n != len(q.kinds) ||
			strings.Contains(got, "SCAN stoa_jobs") {
			t.Errorf("%s looks up %d kinds by the index, want %d and no scan:\n%s", name, n, len(q.kinds), got)
		}
	}
}

// What else a process runs, or has run, must not cost anything when some of its jobs end: on PostgreSQL the index of
// what it holds keeps all of that until the next vacuum.
func TestHeldJobsAreFoundByNumber(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		text := deleteHeld + "1, 2)"
		if db.Engine() == database.SQLite {
			if got := plan(t, db, text, "me"); !strings.Contains(got, "PRIMARY KEY") {
				t.Errorf("the jobs are not found by number:\n%s", got)
			}
			return
		}
		steps, err := database.All(t.Context(), db, func(s database.Scanner) (step string, err error) {
			err = s.Scan(&step)
			return step, err
		}, "EXPLAIN "+strings.ReplaceAll(text, "$1", "'me'"))
		if got := strings.Join(steps, "\n"); err != nil || !strings.Contains(got, "stoa_jobs_pkey") {
			t.Errorf("the jobs are not found by number (%v):\n%s", err, got)
		}
	}, Migrations())
}

// What waits in other lanes must not cost anything: an answer of a receiver hastens hundreds.
func TestLaneIsFoundByTheIndex(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, Migrations())
	if got := plan(t, db, HastenLane, "lane", "now"); !strings.Contains(got, "INDEX stoa_jobs_head (key=?)") {
		t.Errorf("the whole table is read:\n%s", got)
	}
}

// The length of an owner's queue must not cost anything.
func TestOwnerClaimUsesTheIndex(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, Migrations())
	q := NewOwnerQueries(db, Kind{Name: "a", Share: Share{Running: 1}}).byOwner
	now := database.Time(epoch)
	for name, got := range map[string]string{
		"owners":      plan(t, db, q.owners, "a", "", now, 1),
		"takeReady":   plan(t, db, q.takeReady, now, 1, "me", now, "a", "ada"),
		"takeExpired": plan(t, db, q.takeExpired, now, 1, "me", now, "a", "ada"),
		"next":        plan(t, db, q.next, "a", now),
	} {
		if strings.Contains(got, "SCAN j") || strings.Contains(got, "SCAN stoa_jobs") ||
			strings.Contains(got, "TEMP B-TREE FOR ORDER BY") {
			t.Errorf("%s scans or sorts:\n%s", name, got)
		}
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	if seq, err := parseID("17"); seq != 17 || err != nil {
		t.Errorf("parseID(17) = %d, %v", seq, err)
	}
	for _, id := range []string{"", "0", "-1", "+1", "017", "1 ", "1.0", "x", "99999999999999999999"} {
		if _, err := parseID(id); err == nil {
			t.Errorf("parseID(%q): got no error", id)
		}
	}
}
