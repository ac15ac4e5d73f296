package ownership_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ownership"
)

// TestRows counts and deletes what an owner has, and nothing of another owner.
func TestRows(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		for _, text := range []string{
			`CREATE TABLE things (owner_id BIGINT, name TEXT)`,
			`INSERT INTO things VALUES (1, 'ada'), (1, 'ada'), (2, 'bob')`,
		} {
			if _, err := db.Exec(ctx, text); err != nil {
				t.Fatal(err)
			}
		}
		rows := []ownership.Rows{
			{
				Of: ownership.User, Effect: ownership.Blocks, What: "things",
				SQL: `SELECT COUNT(*) FROM things WHERE owner_id = $1`,
			},
			{
				Of: ownership.User, Effect: ownership.Mentions, What: "names", SQL: `SELECT COUNT(*) FROM things WHERE name = $1`,
				Key: func(o ownership.Owner) any { return strings.ToLower(o.Name) },
			},
			{Of: ownership.User, Effect: ownership.Deleted, SQL: `DELETE FROM things WHERE owner_id = $1`},
		}
		ada := ownership.Owner{Kind: ownership.User, ID: 1, Name: "ADA"}
		check := func(o ownership.Owner, effect ownership.Effect, want string) {
			t.Helper()
			if held, err := ownership.Count(ctx, db, rows, o, effect); err != nil || fmt.Sprint(held) != want {
				t.Errorf("%s of %+v: %v, %v; want %s", effect, o, held, err, want)
			}
		}
		check(ada, ownership.Blocks, "[{things 2}]")
		check(ada, ownership.Mentions, "[{names 2}]")
		check(ownership.Owner{Kind: ownership.Team, ID: 1}, ownership.Blocks, "[]")
		if err := ownership.Delete(ctx, db, rows, ada); err != nil {
			t.Fatal(err)
		}
		check(ada, ownership.Blocks, "[]")
		check(ownership.Owner{Kind: ownership.User, ID: 2, Name: "bob"}, ownership.Blocks, "[{things 1}]")
	})
}
