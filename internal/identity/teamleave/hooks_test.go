package teamleave

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
)

// Hooks run in the order in which services came, until one fails, and not at all after a failure.
func TestHooks(t *testing.T) {
	t.Parallel()
	var ran []int64
	var hooks Hooks
	failed := errors.New("failed")
	for n := range int64(3) {
		hooks.Add(func(_ context.Context, _ *database.Tx, teamID, userID int64) error {
			ran = append(ran, teamID+userID+n)
			if n == 1 && userID == 7 {
				return failed
			}
			return nil
		})
	}
	for _, c := range []struct {
		name   string
		before error
		user   int64
		want   error
		runs   int
	}{{"all", nil, 1, nil, 3}, {"until one fails", nil, 7, failed, 2}, {"after a failure", failed, 1, failed, 0}} {
		ran = nil
		if err := hooks.After(t.Context(), nil, c.before, 10, c.user); !errors.Is(err, c.want) || len(ran) != c.runs {
			t.Errorf("%s: %v after %d hooks, want %v after %d", c.name, err, len(ran), c.want, c.runs)
		}
		if c.runs > 0 && ran[0] != 10+c.user {
			t.Errorf("%s: the first hook was given %d, want %d", c.name, ran[0], 10+c.user)
		}
	}
}
