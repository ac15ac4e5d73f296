package deliver

import "stoa.dev/stoa/internal/platform/module"

// purpose is that of the box that seals requests.
const purpose = "deliver"

// SealedRows are the messages, whose requests are sealed.
func SealedRows() module.SealedRows {
	return module.SealedRows{Kind: "message", Purpose: purpose, Query: `SELECT id, id, request FROM deliver_messages
		WHERE id > $1 ORDER BY id LIMIT $2`}
}
