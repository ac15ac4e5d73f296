package forge

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

// firstBranch is what HEAD names until the first push says otherwise.
const firstBranch = "main"

const maxDescription = 350

// NewRepository is what Create needs.
type NewRepository struct {
	// Owner is a user's or an organization's name.
	Owner, Name string
	Private     bool
	Description string
	// Actor is who makes it.
	Actor Actor
}

// Create makes an empty repository.
func (f *Forge) Create(ctx context.Context, n NewRepository) (Repository, error) {
	owner, err := f.Owner(ctx, n.Owner)
	if err != nil {
		return Repository{}, err
	}
	if err := errors.Join(checkName(n.Name), checkDescription(n.Description)); err != nil {
		return Repository{}, err
	}
	role, err := f.identity.OrgRoleOf(ctx, owner.ID, n.Actor.ID)
	if err != nil && !errors.Is(err, identity.ErrNotFound) {
		return Repository{}, err
	}
	now := f.now()
	r := Repository{
		Owner: owner, Name: n.Name, Private: n.Private, Description: n.Description, DefaultBranch: firstBranch,
		CreatedAt: now, UpdatedAt: now, folder: f.world.IDs.Hex(git.FolderLength),
	}
	if err := refusal.FromGit(f.git.Init(ctx, r.Git(), r.DefaultBranch)); err != nil {
		return Repository{}, err
	}
	return f.insert(ctx, &r, func(ctx context.Context, tx *database.Tx) error {
		if err := insertRepository(ctx, tx, &r); err != nil {
			return err
		}
		// Who makes a repository for an organization administers it, as its owners do anyway.
		if err == nil && owner.Kind == OwnerOrg && role != identity.OrgOwner {
			if err := putMember(ctx, tx, r.ID, n.Actor.ID, Admin); err != nil {
				return err
			}
		}
		return f.notify(ctx, tx, Activity{Kind: RepositoryCreated, Repository: r, Actor: n.Actor, At: now})
	})
}

// insert writes the row of a repository whose folder is there, and removes the folder when it cannot. Where it is not
// known whether the row was written, the folder stays: without a row it is an orphan, which goes in time.
func (f *Forge) insert(ctx context.Context, r *Repository, write database.TxFunc) (Repository, error) {
	made := *r
	err := f.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		*r = made // It may be run again.
		return write(ctx, tx)
	})
	switch {
	case errors.Is(err, database.ErrUnknown):
		return Repository{}, err
	case err != nil:
		return Repository{}, errors.Join(err, f.git.Remove(made.folder))
	}
	return *r, nil
}

// Find resolves an address. moved says that it is an old one.
func (f *Forge) Find(ctx context.Context, owner, name string) (r Repository, moved bool, err error) {
	return find(ctx, f.world.DB, owner, name)
}

func find(ctx context.Context, q database.Querier, owner, name string) (r Repository, moved bool, err error) {
	r, err = repositoryByName(ctx, q, owner, name)
	if errors.Is(err, database.ErrNotFound) {
		moved = true
		r, err = repositoryByOldName(ctx, q, owner, name)
	}
	if errors.Is(err, database.ErrNotFound) {
		return r, false, refusal.NotFound("repository", owner+"/"+name)
	}
	return r, moved, err
}

// FindPath is Find for OWNER/NAME in one text.
func (f *Forge) FindPath(ctx context.Context, address string) (r Repository, moved bool, err error) {
	owner, name, ok := strings.Cut(address, "/")
	if !ok {
		return r, false, refusal.Invalid("%q is not OWNER/NAME", address)
	}
	return f.Find(ctx, owner, name)
}

// Repository finds a repository by id.
func (f *Forge) Repository(ctx context.Context, id int64) (Repository, error) {
	r, err := repositoryByID(ctx, f.world.DB, id)
	if errors.Is(err, database.ErrNotFound) {
		return r, &Error{Code: CodeNotFound, Message: "the repository does not exist", Cause: err}
	}
	return r, err
}

// Hold is a repository as it is now, and keeps it from being deleted, renamed or hidden before the caller's transaction
// ends: what is written beside it would outlive it, or show what it hides. It comes before any other statement that
// writes. ErrNotFound for a repository that was deleted since it was found.
func (f *Forge) Hold(ctx context.Context, tx *database.Tx, id int64) (Repository, error) {
	r, err := lockedRepository(ctx, tx, id, sharedLock)
	return r, notFound(err)
}

// Repositories lists the repositories of an owner by name.
func (f *Forge) Repositories(ctx context.Context, owner string) ([]Repository, error) {
	return repositoriesOf(ctx, f.world.DB, owner)
}

// AllRepositories lists repositories in the order of their ids.
func (f *Forge) AllRepositories(ctx context.Context, after int64, limit int) ([]Repository, error) {
	return repositoriesAfter(ctx, f.world.DB, after, limit)
}

// Change holds the members to change; nil leaves one as it is.
type Change struct {
	Name, Description *string
	Private           *bool
}

// Update renames a repository, changes its description or its visibility.
func (f *Forge) Update(ctx context.Context, id int64, c Change, actor Actor) (Repository, error) {
	if c.Name != nil {
		if err := checkName(*c.Name); err != nil {
			return Repository{}, err
		}
	}
	if c.Description != nil {
		if err := checkDescription(*c.Description); err != nil {
			return Repository{}, err
		}
	}
	var r Repository
	err := f.world.DB.WriteKeyed(ctx, lane(id), func(ctx context.Context, tx *database.Tx) error {
		var err error
		r, err = f.update(ctx, tx, id, c, actor)
		return err
	})
	return r, err
}

func (f *Forge) update(ctx context.Context, tx *database.Tx, id int64, c Change, actor Actor) (Repository, error) {
	r, err := repositoryByID(ctx, tx, id)
	if err != nil {
		return r, notFound(err)
	}
	was := r
	r.UpdatedAt = f.now()
	if c.Description != nil {
		r.Description = *c.Description
	}
	if c.Private != nil {
		r.Private = *c.Private
	}
	if err := updateRepository(ctx, tx, r); err != nil {
		return r, err
	}
	if c.Name != nil && *c.Name != r.Name {
		if err := renameRepository(ctx, tx, r, *c.Name, r.UpdatedAt); err != nil {
			return r, err
		}
		r.Name = *c.Name
		renamed := Activity{Kind: RepositoryRenamed, Repository: r, Actor: actor, At: r.UpdatedAt}
		if err := f.notify(ctx, tx, renamed); err != nil {
			return r, err
		}
	}
	if was.Private == r.Private {
		return r, nil
	}
	kind := MadePublic
	if r.Private {
		kind = MadePrivate
	}
	return r, f.notify(ctx, tx, Activity{Kind: kind, Repository: r, Actor: actor, At: r.UpdatedAt})
}

// Delete removes a repository. Its bytes go in the background.
func (f *Forge) Delete(ctx context.Context, id int64, actor Actor) error {
	return f.world.DB.WriteKeyed(ctx, lane(id), func(ctx context.Context, tx *database.Tx) error {
		// Who holds it writes what is deleted with it.
		r, err := lockedRepository(ctx, tx, id, ownLock)
		if err != nil {
			return notFound(err)
		}
		deleted := Activity{Kind: RepositoryDeleted, Repository: r, Actor: actor, At: f.now()}
		if err := f.notify(ctx, tx, deleted); err != nil {
			return err
		}
		if err := deleteRepository(ctx, tx, r); err != nil {
			return err
		}
		_, err = f.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
			Kind: removeKind, Payload: removePayload{Folder: r.folder, Repository: r.ID},
		})
		return err
	})
}

// Fork copies a repository to another owner, under a name of its own or the
// same.
func (f *Forge) Fork(ctx context.Context, id int64, owner, name string, actor Actor) (Repository, error) {
	from, err := f.Repository(ctx, id)
	if err != nil {
		return Repository{}, err
	}
	to, err := f.Owner(ctx, owner)
	if err != nil {
		return Repository{}, err
	}
	if name == "" {
		name = from.Name
	}
	if err := checkName(name); err != nil {
		return Repository{}, err
	}
	now := f.now()
	r := Repository{
		Owner: to, Name: name, Private: from.Private, Description: from.Description, DefaultBranch: from.DefaultBranch,
		NetworkID: from.NetworkID, ParentID: from.ID, CreatedAt: now, UpdatedAt: now, PushedAt: from.PushedAt,
		folder: f.world.IDs.Hex(git.FolderLength),
	}
	if err := refusal.FromGit(f.git.Copy(ctx, from.Git(), r.folder)); err != nil {
		return Repository{}, errors.Join(err, f.git.Remove(r.folder))
	}
	refs, err := f.Refs(ctx, r)
	if err != nil {
		return Repository{}, errors.Join(err, f.git.Remove(r.folder))
	}
	return f.insert(ctx, &r, func(ctx context.Context, tx *database.Tx) error {
		source, err := f.forkedNow(ctx, tx, id, &r)
		if err != nil {
			return err
		}
		if err := insertRepository(ctx, tx, &r); err != nil {
			return err
		}
		for _, ref := range refs {
			if err := putRef(ctx, tx, r.ID, ref); err != nil {
				return err
			}
		}
		return f.notify(ctx, tx, Activity{Kind: Forked, Repository: source, Fork: &r, Actor: actor, At: now})
	})
}

// forkedNow is the repository that was copied as it is now, and puts the copy into its network. It was copied for
// minutes perhaps: what it hides since then may be in the copy.
func (f *Forge) forkedNow(ctx context.Context, tx *database.Tx, id int64, fork *Repository) (Repository, error) {
	now, err := f.Hold(ctx, tx, id)
	if err != nil {
		return now, err
	}
	if now.Private && !fork.Private {
		return now, refusal.Forbidden("the repository was made private while it was copied")
	}
	fork.NetworkID = now.NetworkID
	return now, nil
}

// inRepository runs fn in a transaction that no other change of the
// repository overlaps.
func (f *Forge) inRepository(ctx context.Context, id int64, fn func(*database.Tx, Repository) error) error {
	return f.world.DB.WriteKeyed(ctx, lane(id), func(ctx context.Context, tx *database.Tx) error {
		r, err := repositoryByID(ctx, tx, id)
		if err != nil {
			return notFound(err)
		}
		return fn(tx, r)
	})
}

func notFound(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return &Error{Code: CodeNotFound, Message: "the repository does not exist", Cause: err}
	}
	return err
}

// checkName is the rule for repositories' names: they appear in paths and may be
// followed by the suffix of an archive.
func checkName(name string) error {
	if len(name) < 1 || len(name) > 100 {
		return refusal.Field("name", "a repository's name has 1 to 100 characters")
	}
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return refusal.Field("name", "a repository's name may hold letters, digits, -, _ and . only")
		}
	}
	if name == "." || name == ".." || strings.HasSuffix(identity.Fold(name), ".git") {
		return refusal.Field("name", "%q cannot be a repository's name", name)
	}
	return nil
}

func checkDescription(text string) error {
	if utf8.RuneCountInString(text) > maxDescription || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00") {
		return refusal.Field("description", "a description is text of at most %d characters", maxDescription)
	}
	return nil
}
