package hooks

import "stoa.dev/stoa/internal/platform/module"

// purpose is that of the box that seals receivers.
const purpose = "events.hooks"

// SealedRows are the hooks, whose receivers are sealed.
func SealedRows() []module.SealedRows {
	return []module.SealedRows{{Kind: "hook", Purpose: purpose, Query: `
		SELECT CAST(id AS TEXT), owner_kind || '/' || owner_id, sealed FROM events_hooks
		WHERE CAST(id AS TEXT) > $1 ORDER BY CAST(id AS TEXT) LIMIT $2`}}
}
