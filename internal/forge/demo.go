package forge

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
)

// demoPipeline passes: one job of two steps.
const demoPipeline = `version: 2
jobs:
  build:
    steps:
      - checkout
      - run: test -f README.md
      - run:
          name: Count the columns
          command: grep -c column README.md
workflows:
  version: 2
  main:
    jobs:
      - build
`

const demoReadme = "# Colonnade\n\nA row of equal columns, open to everyone.\n"

// demo makes a public repository of the demo organization with a pipeline,
// pushed as a real commit, and a star.
func (f *Forge) demo(ctx context.Context, d *module.Demo) error {
	user, err := f.UserActor(ctx, d.User)
	if err != nil {
		return err
	}
	guest, err := f.UserActor(ctx, d.Guest)
	if err != nil {
		return err
	}
	r, err := f.Create(ctx, NewRepository{
		Owner: d.Team, Name: "colonnade", Description: "Where the columns stand", Actor: user,
	})
	if err != nil {
		return err
	}
	if _, err := f.CommitFiles(ctx, r, NewCommit{
		Actor: user, Email: d.User + "@example.com", Message: "Raise the columns",
		Files: map[string]string{"README.md": demoReadme, "pipeline.yml": demoPipeline},
	}); err != nil {
		return err
	}
	d.Env["STOA_REPO"] = r.FullName()
	return f.Star(ctx, r.ID, guest)
}
