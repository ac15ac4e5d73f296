package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

// All says what belongs to a user.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "labels",
			SQL: `SELECT COUNT(*) FROM labels_labels WHERE owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "published labels",
			SQL: `SELECT COUNT(*) FROM labels_labels WHERE published_by = $1`,
		},
	}
}
