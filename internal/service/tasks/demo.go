package tasks

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/wire"
)

// demo gives the user two lists with something in them.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.identity.UserByName(ctx, d.User)
	if err != nil {
		return err
	}
	list, err := s.InsertList(ctx, user.ID, "Opening of the colonnade")
	if err != nil {
		return err
	}
	for _, title := range []string{"Invite the neighbours", "Sweep the steps", "Polish thirteen columns"} {
		for _, id := range []string{list.ID, DefaultList} {
			if _, err := s.InsertTask(ctx, user.ID, id, Change{Title: wire.Some(title)}, Place{}, false); err != nil {
				return err
			}
		}
	}
	return nil
}
