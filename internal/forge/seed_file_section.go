package forge

import (
	"context"

	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/forge/seedfile"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/seed"
)

const (
	maxSeedRepositories = 10_000
	// maxSeedFile bounds one file that is written.
	maxSeedFile = 1 << 20
	seedMessage = "Initial content"
)

// seeds is the section of repositories. A written file has the last state of the
// default branch, not its history.
func (f *Forge) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("repositories", "Git repositories", f.seedRepository, f.writeRepositories)}
}

func (f *Forge) seedRepository(ctx context.Context, run *seed.Run, s seedfile.Repository) error {
	member := "actor"
	if s.Actor == "" {
		s.Actor, member = s.Owner, "owner"
	}
	actor, err := f.UserActor(ctx, s.Actor)
	if err != nil {
		return seed.At(err, member)
	}
	content, err := s.Content(run)
	if err != nil {
		return err
	}
	r, err := f.Create(ctx, NewRepository{
		Owner: s.Owner, Name: s.Name, Private: s.Private, Description: s.Description, Actor: actor,
	})
	if err != nil {
		return err
	}
	if len(content) > 0 {
		if s.Message == "" {
			s.Message = seedMessage
		}
		commit := NewCommit{Actor: actor, Email: actor.Name + "@localhost", Message: s.Message, Files: content}
		if _, err := f.CommitFiles(ctx, r, commit); err != nil {
			return err
		}
	}
	for i, name := range s.Stars {
		user, err := f.UserActor(ctx, name)
		if err == nil {
			err = f.Star(ctx, r.ID, user)
		}
		if err != nil {
			return seed.At(err, "stars", i)
		}
	}
	return nil
}

func (f *Forge) writeRepositories(ctx context.Context) ([]seedfile.Repository, error) {
	list, err := f.AllRepositories(ctx, 0, maxSeedRepositories)
	if err != nil {
		return nil, err
	}
	var out []seedfile.Repository
	for _, r := range list {
		s := seedfile.Repository{Owner: r.Owner.Name, Name: r.Name, Description: r.Description, Private: r.Private}
		if s.Actor, err = f.seedActor(ctx, r); err != nil {
			return nil, err
		}
		if err := f.writeContent(ctx, r, &s); err != nil {
			return nil, err
		}
		stars, _, err := f.Stargazers(ctx, r.ID, maxSeedRepositories, 0)
		if err != nil {
			return nil, err
		}
		for _, star := range stars {
			user, err := f.identity.User(ctx, star.UserID)
			if err != nil {
				return nil, err
			}
			s.Stars = append(s.Stars, user.Name)
		}
		out = append(out, s)
	}
	return out, nil
}

// seedActor is the first owner of an organization, empty for a user's repository.
func (f *Forge) seedActor(ctx context.Context, r Repository) (string, error) {
	if r.Owner.Kind == OwnerUser {
		return "", nil
	}
	members, err := f.identity.OrgMembers(ctx, r.Owner.ID)
	for _, m := range members {
		if m.Role == identity.OrgOwner {
			return m.UserName, err
		}
	}
	return "", err
}

func (f *Forge) writeContent(ctx context.Context, r Repository, s *seedfile.Repository) error {
	if r.PushedAt.IsZero() {
		return nil
	}
	_, entries, whole, err := f.Tree(ctx, r, heads+r.DefaultBranch, true)
	if err != nil {
		return err
	}
	if !whole {
		return refusal.Invalid("%s has more files than a seed file holds", r.FullName())
	}
	for _, e := range entries {
		if e.Type != "blob" {
			continue
		}
		data, err := f.Blob(ctx, r, e.SHA, maxSeedFile)
		if err != nil {
			return err
		}
		s.Put(e.Path, data)
	}
	return nil
}
