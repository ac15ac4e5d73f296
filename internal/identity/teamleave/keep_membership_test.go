package teamleave_test

import (
	"context"
	"testing"

	"stoa.dev/stoa/internal/identity/teamleave"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// Keep finds the members of a team alone, and leaves them as they are.
func TestKeep(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			for _, text := range []string{
				`CREATE TABLE identity_team_members (team_id BIGINT, user_id BIGINT, role TEXT)`,
				`INSERT INTO identity_team_members VALUES (1, 7, 'admin')`,
			} {
				if _, err := tx.Exec(ctx, text); err != nil {
					return err
				}
			}
			for _, c := range []struct {
				team, user int64
				want       bool
			}{{1, 7, true}, {1, 8, false}, {2, 7, false}} {
				if got, err := teamleave.Keep(ctx, tx, c.team, c.user); err != nil || got != c.want {
					t.Errorf("user %d in team %d: %t, %v, want %t", c.user, c.team, got, err, c.want)
				}
			}
			var role string
			if err := tx.QueryRow(ctx, `SELECT role FROM identity_team_members`).Scan(&role); err != nil || role != "admin" {
				t.Errorf("the role is %q, %v, want admin", role, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
