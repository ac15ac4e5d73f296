package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

const remove = "stoa repo delete OWNER/NAME"

// All says what belongs to a user or an organization. Pushes are history,
// and so are those that are no longer on record.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "repositories", Remove: remove,
			SQL: `SELECT COUNT(*) FROM forge_repositories WHERE owner_kind = 'user' AND owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "pushes",
			SQL: `SELECT (SELECT COUNT(*) FROM forge_pushes WHERE actor_id = $1) + CAST(COALESCE(
				(SELECT SUM(pushes) FROM forge_forgotten_pushes WHERE actor_id = $1), 0) AS BIGINT)`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM forge_stars WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM forge_members WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM forge_app_installations WHERE owner_kind = 'user' AND owner_id = $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Blocks, What: "repositories", Remove: remove,
			SQL: `SELECT COUNT(*) FROM forge_repositories WHERE owner_kind = 'org' AND owner_id = $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Deleted,
			SQL: `DELETE FROM forge_app_installations WHERE owner_kind = 'org' AND owner_id = $1`,
		},
	}
}
