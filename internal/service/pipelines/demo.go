package pipelines

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

// demo gives the demo repository a variable and a follower. Its push is on the
// queue already and runs as soon as the server does.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	r, _, err := s.forge.FindPath(ctx, d.Env["STOA_REPO"])
	if err != nil {
		return err
	}
	user, err := s.forge.UserActor(ctx, d.User)
	if err != nil {
		return err
	}
	if _, err := s.SetVariable(ctx, r, "GREETING", "welcome to the colonnade"); err != nil {
		return err
	}
	return s.followQuietly(ctx, r, user)
}

// followQuietly is Follow without a first job.
func (s *Service) followQuietly(ctx context.Context, r forge.Repository, user forge.Actor) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return setFollow(ctx, tx, user.ID, r.ID, true, s.now())
	})
}
