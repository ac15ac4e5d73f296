package releases

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// TypeRelease is the event of a published release.
const TypeRelease = "ReleaseEvent"

const (
	maxReleases = 10_000
	maxTag      = 200
	maxName     = 256
	maxText     = 125_000
)

// Release is a tag with a title and a text.
type Release struct {
	ID, RepoID  int64
	Tag         string
	Target      string
	Name, Body  string
	Draft       bool
	Prerelease  bool
	Author      forge.Actor
	CreatedAt   time.Time
	PublishedAt *time.Time
}

// facts are what the payload of an event is made of.
type facts struct{ Release Release }

// Releases are those of all repositories.
type Releases struct{ host operation.Host }

// New makes the releases of a host.
func New(host operation.Host) *Releases { return &Releases{host: host} }

func (s *Releases) write(ctx context.Context, at *operation.Subject, fn database.TxFunc) error {
	return s.host.WriteBeside(ctx, "events/releases", at, fn)
}

func (r Release) check() error {
	for _, row := range []struct {
		field, text string
		limit       int
	}{
		{"tag_name", r.Tag, maxTag}, {"target_commitish", r.Target, maxTag}, {"name", r.Name, maxName},
		{"body", r.Body, maxText},
	} {
		if !utf8.ValidString(row.text) || utf8.RuneCountInString(row.text) > row.limit {
			return refusal.Invalid(row.field, "%s must be text of at most %d characters", row.field, row.limit)
		}
	}
	if r.Tag == "" {
		return refusal.Invalid("tag_name", "tag_name must not be empty")
	}
	return nil
}

// withTag runs a change that publishes a release, with its tag there. A tag that was made for it goes back when the
// change is refused.
func (s *Releases) withTag(ctx context.Context, at operation.Subject, r Release, change func() error) error {
	if r.Draft {
		return change()
	}
	if err := checkLimitAndTag(ctx, s.host.DB, r); err != nil {
		return err
	}
	made, err := s.tag(ctx, at, r)
	if err != nil {
		return err
	}
	err = change()
	var refused *refusal.Error
	if !made || !errors.As(err, &refused) {
		return err
	}
	return errors.Join(err, s.untag(context.WithoutCancel(ctx), at, r.Tag))
}

// tag makes the tag of a release that is published, unless there is one.
func (s *Releases) tag(ctx context.Context, at operation.Subject, r Release) (made bool, err error) {
	_, err = s.host.Forge.Head(ctx, at.Repo, "refs/tags/"+r.Tag)
	if !errors.Is(err, forge.ErrNotFound) {
		return false, err
	}
	err = s.host.Forge.CreateRef(ctx, at.Repo, "refs/tags/"+r.Tag, r.Target, at.Actor)
	if errors.Is(err, forge.ErrNotFound) {
		return false, refusal.Invalid("target_commitish", "target_commitish must name a commit")
	}
	return err == nil, refusal.FromForge(err)
}

// untag takes back a tag that was made for a release that was refused, unless another was published with it since.
func (s *Releases) untag(ctx context.Context, at operation.Subject, tag string) error {
	held, err := releaseByTag(ctx, s.host.DB, at.Repo.ID, tag)
	if err == nil && !held.Draft {
		return nil
	}
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return err
	}
	if err = s.host.Forge.DeleteRef(ctx, at.Repo, "refs/tags/"+tag, at.Actor); errors.Is(err, forge.ErrNotFound) {
		return nil // The repository was deleted, or a push took the tag away.
	}
	return err
}

// checkLimitAndTag refuses a release beyond what its repository may have, and a second one of a tag.
func checkLimitAndTag(ctx context.Context, q database.Querier, r Release) error {
	if r.ID == 0 {
		if n, err := countReleases(ctx, q, r.RepoID); err != nil {
			return err
		} else if n >= maxReleases {
			return refusal.Invalid("tag_name", "a repository may have at most %d releases", maxReleases)
		}
	}
	other, err := releaseByTag(ctx, q, r.RepoID, r.Tag)
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	if err == nil && other.ID != r.ID {
		err = errTaken()
	}
	return err
}

// create adds a release.
func (s *Releases) create(ctx context.Context, at operation.Subject, r Release) (Release, error) {
	if err := r.check(); err != nil {
		return r, err
	}
	r.RepoID, r.Author, r.CreatedAt = at.Repo.ID, at.Actor, s.host.Now()
	if !r.Draft {
		r.PublishedAt = &r.CreatedAt
	}
	err := s.withTag(ctx, at, r, func() error {
		return s.write(ctx, &at, func(ctx context.Context, tx *database.Tx) error {
			r.ID = 0 // It may be run again.
			if err := checkLimitAndTag(ctx, tx, r); err != nil {
				return err
			}
			if err := insertRelease(ctx, tx, &r); err != nil {
				return taken(err)
			}
			return s.tell(ctx, tx, at, r)
		})
	})
	return r, err
}

func taken(err error) error {
	if errors.Is(err, database.ErrUnique) {
		return errTaken()
	}
	return err
}

func errTaken() error { return refusal.Invalid("tag_name", "tag_name already has a release") }

// tell records that a release is published.
func (s *Releases) tell(ctx context.Context, tx *database.Tx, at operation.Subject, r Release) error {
	if r.Draft {
		return nil
	}
	return s.host.Record(ctx, tx, operation.Event{
		Type: TypeRelease, Repository: at.Repo, Actor: at.Actor, Facts: facts{r}, At: s.host.Now(),
	})
}

// find is a release that the caller may see.
func (s *Releases) find(ctx context.Context, at operation.Subject, id int64) (Release, error) {
	r, err := releaseByID(ctx, s.host.DB, at.Repo.ID, id)
	return r, visible(at, r, err)
}

// visible hides drafts from those who may not write.
func visible(at operation.Subject, r Release, err error) error {
	if errors.Is(err, database.ErrNotFound) || err == nil && r.Draft && at.May < forge.Write {
		return refusal.NotFound()
	}
	return err
}

// edit changes a release; one that stops being a draft is published.
func (s *Releases) edit(
	ctx context.Context, at operation.Subject, id int64, change func(*Release),
) (after Release, err error) {
	before, err := s.find(ctx, at, id)
	if err != nil {
		return before, err
	}
	after = before
	change(&after)
	if err := after.check(); err != nil {
		return after, err
	}
	err = s.withTag(ctx, at, after, func() error { return s.writeChange(ctx, at, id, change, &after) })
	return after, err
}

// writeChange changes a release as it is now.
func (s *Releases) writeChange(
	ctx context.Context, at operation.Subject, id int64, change func(*Release), after *Release,
) error {
	return s.write(ctx, &at, func(ctx context.Context, tx *database.Tx) error {
		r, err := releaseByID(ctx, tx, at.Repo.ID, id)
		if err := visible(at, r, err); err != nil {
			return err
		}
		published := r.Draft
		if change(&r); r.Draft {
			published = false
		}
		if published {
			now := s.host.Now()
			r.PublishedAt = &now
		}
		*after = r
		if err := updateRelease(ctx, tx, r); err != nil || !published {
			return taken(err)
		}
		return s.tell(ctx, tx, at, r)
	})
}

// remove deletes a release; its tag stays.
func (s *Releases) remove(ctx context.Context, at operation.Subject, id int64) error {
	if _, err := s.find(ctx, at, id); err != nil {
		return err
	}
	return s.write(ctx, &at, func(ctx context.Context, tx *database.Tx) error {
		return deleteRelease(ctx, tx, id)
	})
}
