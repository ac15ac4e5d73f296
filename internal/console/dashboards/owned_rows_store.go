package dashboards

import "stoa.dev/stoa/internal/platform/ownership"

// Owned says what belongs to a user: dashboards are only seen by who made them.
func Owned() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM dashboards_boards WHERE user_id = $1`,
		},
	}
}
