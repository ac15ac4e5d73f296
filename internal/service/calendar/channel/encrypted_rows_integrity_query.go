package channel

import "stoa.dev/stoa/internal/platform/module"

// SealedRows are the channels of a service, whose receivers are sealed.
func SealedRows(service string) []module.SealedRows {
	return []module.SealedRows{{Kind: "channel", Purpose: service, Query: `SELECT id, id, sealed FROM calendar_channels
		WHERE id > $1 ORDER BY id LIMIT $2`}}
}
