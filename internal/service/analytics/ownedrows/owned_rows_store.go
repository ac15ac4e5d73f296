package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

// All says what belongs to a user.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "analytics projects",
			SQL: `SELECT COUNT(*) FROM analytics_projects WHERE owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "locations",
			SQL: `SELECT COUNT(*) FROM analytics_locations WHERE owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "campaigns",
			SQL: `SELECT COUNT(*) FROM analytics_campaigns WHERE owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM analytics_retries WHERE owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM analytics_credits WHERE owner_id = $1`,
		},
	}
}
