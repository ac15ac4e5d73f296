package forge

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/seed"
)

type seedRepository struct {
	Owner       string `json:"owner" doc:"A user or an organization."`
	Name        string `json:"name" doc:"The name."`
	Actor       string `json:"actor,omitempty" doc:"The user who makes and pushes it; the owner when left out."`
	Description string `json:"description,omitempty" doc:"One line."`
	Private     bool   `json:"private,omitempty" doc:"Whether only those who may read it see it."`

	Folder  string            `json:"folder,omitempty" folder:"true" doc:"A folder beside the file with the content."`
	Files   map[string]string `json:"files,omitempty" doc:"Texts by their path."`
	Base64  map[string]string `json:"base64,omitempty" doc:"What is not text, by its path."`
	Message string            `json:"message,omitempty" doc:"The message of the one commit."`
	Stars   []string          `json:"stars,omitempty" doc:"Users who starred it."`
}

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

func (f *Forge) seedRepository(ctx context.Context, run *seed.Run, s seedRepository) error {
	member := "actor"
	if s.Actor == "" {
		s.Actor, member = s.Owner, "owner"
	}
	actor, err := f.UserActor(ctx, s.Actor)
	if err != nil {
		return seed.At(err, member)
	}
	content, err := s.content(run)
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

// content joins what folder, files and base64 hold.
func (s seedRepository) content(run *seed.Run) (map[string]string, error) {
	content := map[string]string{}
	if s.Folder != "" {
		if run.Files == nil {
			return nil, seed.At(errors.New("folders are read from a file only: write the content below files"), "folder")
		}
		files, err := run.Files(s.Folder)
		if err != nil {
			return nil, seed.At(err, "folder")
		}
		content = files
	}
	maps.Copy(content, s.Files)
	for name, text := range s.Base64 {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, seed.At(err, "base64", name)
		}
		content[name] = string(data)
	}
	return content, nil
}

func (f *Forge) writeRepositories(ctx context.Context) ([]seedRepository, error) {
	list, err := f.AllRepositories(ctx, 0, maxSeedRepositories)
	if err != nil {
		return nil, err
	}
	var out []seedRepository
	for _, r := range list {
		s := seedRepository{Owner: r.Owner.Name, Name: r.Name, Description: r.Description, Private: r.Private}
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

func (f *Forge) writeContent(ctx context.Context, r Repository, s *seedRepository) error {
	if r.PushedAt.IsZero() {
		return nil
	}
	_, entries, whole, err := f.Tree(ctx, r, heads+r.DefaultBranch, true)
	if err != nil {
		return err
	}
	if !whole {
		return errInvalid("%s has more files than a seed file holds", r.FullName())
	}
	s.Files, s.Base64 = map[string]string{}, map[string]string{}
	for _, e := range entries {
		if e.Type != "blob" {
			continue
		}
		data, err := f.Blob(ctx, r, e.SHA, maxSeedFile)
		if err != nil {
			return err
		}
		if utf8.Valid(data) {
			s.Files[e.Path] = string(data)
		} else {
			s.Base64[e.Path] = base64.StdEncoding.EncodeToString(data)
		}
	}
	return nil
}
