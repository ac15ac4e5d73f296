package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

// All says what belongs to a user. Files, uploads, caches and batches end by themselves, within days,
// and only their user can reach them until then.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM generate_log WHERE user_id = $1`,
		},
	}
}
