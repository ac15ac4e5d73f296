package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

// All says what belongs to a user. What a job keeps belongs to its project.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "jobs",
			SQL: `SELECT COUNT(*) FROM pipelines_builds WHERE actor_id = $1 OR canceler_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "schedules",
			SQL: `SELECT COUNT(*) FROM pipelines_schedules WHERE actor_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM pipelines_follows WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM pipelines_preferences WHERE user_id = $1`,
		},
	}
}
