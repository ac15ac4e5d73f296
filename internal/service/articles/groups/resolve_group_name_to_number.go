package groups

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// SetNumber sets the group that something is written in; nil leaves it as it is, and an empty name is no group. Only a
// viewer that sees a group may write in it.
func (g *Groups) SetNumber(ctx context.Context, tx *database.Tx, v Viewer, to *int64, urlName *string) error {
	if urlName == nil || v.TeamID == 0 {
		return nil
	}
	if *to = 0; *urlName == "" {
		return nil
	}
	group, err := g.Find(ctx, tx, v, *urlName)
	if refusal.Is(err) {
		return errNoGroup()
	}
	*to = group.Number
	return err
}

func errNoGroup() error { return invalid("group_url_name names no group of the team") }

// OrNoGroup refuses a write whose group was deleted meanwhile.
func OrNoGroup(err error) error {
	if errors.Is(err, database.ErrForeignKey) {
		return errNoGroup()
	}
	return err
}

// OrNull is the number of a group as a column holds it; 0 stands for no group.
func OrNull(number int64) *int64 {
	if number == 0 {
		return nil
	}
	return &number
}
