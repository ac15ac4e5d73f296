package events

import (
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/objects"
)

func accountToWire(a access.Account, base string, repos int64) objects.FullUser {
	word, created := "User", a.User.CreatedAt
	switch a.Kind {
	case forge.OwnerOrg:
		word, created = "Organization", a.Org.CreatedAt
	case access.App:
		word = "Bot"
	case forge.OwnerUser:
	}
	out := objects.FullUser{
		User: objects.NewUser(a.ID(), a.Name(), word, base), PublicRepos: repos,
		CreatedAt: objects.Stamp(created), UpdatedAt: objects.Stamp(created),
	}
	out.Name = objects.OrNull(a.User.DisplayName)
	return out
}

// tooLargeToShow is fromForge for content: what is too large is refused as the code
// host does it, with 403.
func tooLargeToShow(err error) error {
	if errors.Is(err, forge.ErrTooLarge) {
		return errForbidden("This API returns content of limited size: %s.", err)
	}
	return fromForge(err)
}
