package forge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

const demoReadme = "# Colonnade\n\nA roof, a row of equal columns, open to everyone.\n"

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
	r, err := f.Create(ctx, NewRepository{Owner: d.Team, Name: "colonnade", Description: "Where the columns stand", Actor: user})
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

// NewCommit is a commit made by the forge itself.
type NewCommit struct {
	Actor   Actor
	Email   string
	Message string
	// Branch is the short name; empty means the default branch.
	Branch string
	// Files replace those of the same path; the others stay.
	Files map[string]string
}

// CommitFiles adds a commit to a branch and records it as a push.
func (f *Forge) CommitFiles(ctx context.Context, r Repository, n NewCommit) ([]Push, error) {
	if n.Branch == "" {
		n.Branch = r.DefaultBranch
	}
	return f.Receive(ctx, r, n.Actor, func(ctx context.Context) error {
		parent, err := f.Resolve(ctx, r, heads+n.Branch)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		_, err = f.git.run(ctx, f.git.path(r.folder), f.importStream(n, parent), "fast-import", "--quiet", "--date-format=raw")
		return err
	})
}

// importStream is the commit in the language of git fast-import.
func (f *Forge) importStream(n NewCommit, parent string) *bytes.Buffer {
	var b bytes.Buffer
	clean := strings.NewReplacer("\n", " ", "<", "", ">", "", "\x00", "")
	fmt.Fprintf(&b, "commit %s%s\n", heads, n.Branch)
	fmt.Fprintf(&b, "committer %s <%s> %d +0000\n", clean.Replace(n.Actor.Name), clean.Replace(n.Email), f.now().Unix())
	fmt.Fprintf(&b, "data %d\n%s\n", len(n.Message), n.Message)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, name := range sortedKeys(n.Files) {
		fmt.Fprintf(&b, "M 100644 inline %q\ndata %d\n%s\n", name, len(n.Files[name]), n.Files[name])
	}
	return &b
}

func sortedKeys(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }
