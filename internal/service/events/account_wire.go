package events

import (
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/objects"
)

func (a account) toWire(base string, repos int64) objects.FullUser {
	word, created := "User", a.user.CreatedAt
	switch a.kind {
	case forge.OwnerOrg:
		word, created = "Organization", a.org.CreatedAt
	case appAccount:
		word = "Bot"
	case forge.OwnerUser:
	}
	out := objects.FullUser{
		User: objects.NewUser(a.id(), a.name(), word, base), PublicRepos: repos,
		CreatedAt: objects.Stamp(created), UpdatedAt: objects.Stamp(created),
	}
	out.Name = objects.OrNull(a.user.DisplayName)
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
