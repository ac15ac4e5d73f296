package pipelines

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
)

// demo gives the demo repository a variable and a follower. Its push is on the queue already and runs as soon as the
// server does.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	r, _, err := s.forge.FindPath(ctx, d.Env["STOA_REPO"])
	if err != nil {
		return err
	}
	user, err := s.forge.UserActor(ctx, d.User)
	if err != nil {
		return err
	}
	if _, err := s.projects.SetVariable(ctx, r, "GREETING", "welcome to the colonnade"); err != nil {
		return err
	}
	_, err = s.projects.Follow(ctx, r, user.ID, true)
	return err
}
