package ownedrows

import (
	"strings"

	"stoa.dev/stoa/internal/platform/ownership"
)

// All says what belongs to a user: the primary calendar is everybody's and goes with its user
// once it is empty. Rules name users and teams by addresses, which others may have later: what they gave ends with
// whom they gave it to.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "calendars",
			SQL: `SELECT COUNT(*) FROM calendar_calendars WHERE owner_id = $1 AND NOT is_primary`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "events on calendars",
			SQL: `SELECT COUNT(*) FROM calendar_events e JOIN calendar_calendars c ON c.id = e.calendar_id
				WHERE c.owner_id = $1 AND NOT e.cancelled`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "calendars on the lists of others",
			SQL: `SELECT COUNT(*) FROM calendar_entries e JOIN calendar_calendars c ON c.id = e.calendar_id
				WHERE c.owner_id = $1 AND e.user_id <> c.owner_id AND NOT e.deleted`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_channels WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_settings WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_events WHERE calendar_id IN (SELECT id FROM calendar_calendars WHERE owner_id = $1)`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_acl WHERE calendar_id IN (SELECT id FROM calendar_calendars WHERE owner_id = $1)`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_acl WHERE scope_type = 'user'
				AND scope_value = (SELECT address FROM calendar_people WHERE user_id = $1)`,
		},
		{
			Of: ownership.Team, Effect: ownership.Deleted, Key: groupPrefix,
			SQL: `DELETE FROM calendar_acl WHERE scope_type = 'group'
				AND SUBSTR(scope_value, 1, LENGTH(CAST($1 AS TEXT))) = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_entries WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_calendars WHERE owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM calendar_people WHERE user_id = $1`,
		},
	}
}

// groupPrefix is how the addresses of a team begin.
func groupPrefix(o ownership.Owner) any { return strings.ToLower(o.Name) + "@" }
