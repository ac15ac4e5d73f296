package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

// All says what belongs to a user: the default list is everybody's and goes with its user.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "task lists",
			SQL: `SELECT COUNT(*) FROM tasks_lists l JOIN tasks_users u ON u.user_id = l.user_id
				WHERE l.user_id = $1 AND l.id <> u.default_list`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "tasks",
			SQL: `SELECT COUNT(*) FROM tasks_tasks WHERE user_id = $1 AND NOT deleted`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM tasks_lists WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM tasks_users WHERE user_id = $1`,
		},
	}
}
