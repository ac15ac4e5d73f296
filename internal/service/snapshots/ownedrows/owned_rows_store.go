package ownedrows

import (
	"strconv"

	"stoa.dev/stoa/internal/platform/ownership"
)

// All says what belongs to a user, an organization or a team. Points and pictures end with their
// retention, and only their owner can reach them until then.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Deleted, Key: tenant,
			SQL: `DELETE FROM snapshots_metrics WHERE org = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted, Key: tenant,
			SQL: `DELETE FROM snapshots_events WHERE org = $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Deleted, Key: tenant,
			SQL: `DELETE FROM snapshots_metrics WHERE org = $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Deleted, Key: tenant,
			SQL: `DELETE FROM snapshots_events WHERE org = $1`,
		},
		{
			Of: ownership.Team, Effect: ownership.Deleted, Key: tenant,
			SQL: `DELETE FROM snapshots_metrics WHERE org = $1`,
		},
		{
			Of: ownership.Team, Effect: ownership.Deleted, Key: tenant,
			SQL: `DELETE FROM snapshots_events WHERE org = $1`,
		},
	}
}

// tenant is the owner as metrics know it: u12, o3, t4.
func tenant(o ownership.Owner) any { return string(o.Kind[:1]) + strconv.FormatInt(o.ID, 10) }
