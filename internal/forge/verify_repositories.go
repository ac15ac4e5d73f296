package forge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

// verifyPage is how many repositories are listed at once.
const verifyPage = 100

// verify lets git read every object of every repository, and compares what its refs are
// with what is recorded of them.
func (f *Forge) verify(ctx context.Context, report func(module.Damage)) (looked int, err error) {
	for after := int64(0); ; {
		page, err := repositoriesAfter(ctx, f.world.DB, after, verifyPage)
		if err != nil {
			return looked, err
		}
		for _, r := range page {
			detail, err := f.verifyRepository(ctx, r)
			if err != nil {
				return looked, err
			}
			if detail != "" {
				report(module.Damage{
					What: fmt.Sprintf("repository %s/%s (%s)", r.Owner.Name, r.Name, f.git.Path(r.folder)), Detail: detail,
					Advice: "copy the folder from a backup, or push again from a clone that has everything",
				})
			}
			after = r.ID
			looked++
		}
		if len(page) < verifyPage {
			return looked, nil
		}
	}
}

// verifyRepository says what is wrong with a repository, nothing when it is whole or was
// deleted meanwhile.
func (f *Forge) verifyRepository(ctx context.Context, r Repository) (string, error) {
	if _, err := os.Stat(f.git.Path(r.folder)); errors.Is(err, fs.ErrNotExist) {
		_, err := repositoryByID(ctx, f.world.DB, r.ID)
		if errors.Is(err, database.ErrNotFound) {
			return "", nil
		}
		return "its folder is missing", err
	}
	repo := git.Repo{Folder: r.folder, Owner: budget.Caller("check")}
	err := f.git.RunLong(ctx, repo, f.git.Path(r.folder), "fsck", "--full", "--strict", "--no-dangling", "--no-progress")
	if git.IsRunError(err) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	differs, err := f.unrecorded(ctx, r)
	if err != nil || len(differs) == 0 {
		return "", err
	}
	return fmt.Sprintf("%d branches or tags are not what is recorded, the first %s", len(differs), differs[0].Ref), nil
}

// unrecorded are the refs that differ from what is recorded, none while a push goes on,
// which is recorded at its end.
func (f *Forge) unrecorded(ctx context.Context, r Repository) ([]Push, error) {
	recorded, err := recordedRefs(ctx, f.world.DB, r.ID)
	if err != nil {
		return nil, err
	}
	actual, err := f.Refs(ctx, r)
	if err != nil {
		return nil, err
	}
	differs := diffRefs(recorded, actual)
	if len(differs) == 0 {
		return nil, nil
	}
	pushed, err := isPushed(ctx, f.world.DB, r.ID)
	if err != nil || pushed {
		return nil, err
	}
	// What was pushed between the first two questions is recorded by now.
	if recorded, err = recordedRefs(ctx, f.world.DB, r.ID); err != nil {
		return nil, err
	}
	return diffRefs(recorded, actual), nil
}
