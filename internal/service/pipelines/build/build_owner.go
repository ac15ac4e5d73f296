package build

import (
	"strconv"

	"stoa.dev/stoa/internal/forge"
)

// OwnerOf is whose share of the workers a job takes: the account that asked for it, or where a token asked the owner
// of the repository. Accounts are what an operator hands out; any user can make many repositories and tokens. Teams
// are negative.
func OwnerOf(actor forge.Actor, r forge.Repository) int64 {
	switch {
	case actor.UserID() != 0:
		return actor.ID
	case r.Owner.Kind == forge.OwnerUser:
		return r.Owner.ID
	}
	return -r.Owner.ID
}

// OwnerKey is an owner as the platform's queues name it.
func OwnerKey(owner int64) string { return "pipelines/" + strconv.FormatInt(owner, 10) }
