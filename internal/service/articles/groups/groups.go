package groups

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/teamleave"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

const (
	maxName        = 255
	maxDescription = 4096
)

// Group is a part of a team.
type Group struct {
	Number, TeamID             int64
	URLName, Name, Description string
	Private                    bool
	CreatedAt, UpdatedAt       time.Time
}

// Patch holds what to change of a group; nil leaves a member as it is.
type Patch struct {
	Name, Description *string
	Private           *bool
}

// Groups are those of all teams.
type Groups struct {
	world    *world.World
	identity *identity.Identity
	events   Events
}

// Events are what the service does when groups change.
type Events struct {
	// Changed is called once the name of a group, or who sees it, has changed.
	Changed func()
	// Released is called in the transaction in which items became the whole team's.
	Released func(ctx context.Context, tx *database.Tx, items []int64) error
}

// New makes the groups of a world.
func New(w *world.World, identity *identity.Identity, e Events) *Groups {
	return &Groups{world: w, identity: identity, events: e}
}

func (g *Groups) now() time.Time { return g.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// key is what writers of the same group wait for.
func key(urlName string) string { return "articles/group/" + urlName }

// List lists the groups that the viewer may see, the newest first.
func (g *Groups) List(ctx context.Context, v Viewer, p page.Numbers) ([]Group, int64, error) {
	visible, err := g.Visibility(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	return list(ctx, g.world.DB, visible, p)
}

// ByNumber finds several groups at once; 0 stands for no group.
func (g *Groups) ByNumber(ctx context.Context, numbers []int64) (map[int64]*Group, error) {
	var wanted []int64
	for _, number := range numbers {
		if number != 0 {
			wanted = append(wanted, number)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	found, err := byNumber(ctx, g.world.DB, wanted)
	out := make(map[int64]*Group, len(found))
	for n := range found {
		out[found[n].Number] = &found[n]
	}
	return out, err
}

// Hidden are the first of the private groups that the viewer did not join.
func (g *Groups) Hidden(ctx context.Context, v Visibility, limit int64) ([]int64, error) {
	return hidden(ctx, g.world.DB, v, limit)
}

var urlNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func (g Group) check() error {
	if strings.TrimSpace(g.Name) == "" || utf8.RuneCountInString(g.Name) > maxName ||
		utf8.RuneCountInString(g.Description) > maxDescription {
		return invalid("name must have 1 to 255 characters and description at most 4096")
	}
	return nil
}

func invalid(message string) error { return refusal.New(refusal.BadRequest, "%s", message) }

func forbidden(message string) error { return refusal.New(refusal.Forbidden, "%s", message) }

// Create makes a group of the team, with its maker as the first member.
func (g *Groups) Create(ctx context.Context, v Viewer, group Group) (Group, error) {
	if !urlNames.MatchString(group.URLName) {
		return Group{}, invalid("url_name must have 1 to 63 lower-case letters, digits, - and _")
	}
	if err := group.check(); err != nil {
		return Group{}, err
	}
	group.TeamID, group.CreatedAt = v.TeamID, g.now()
	group.UpdatedAt = group.CreatedAt
	err := g.world.DB.WriteKeyed(ctx, key(group.URLName), func(ctx context.Context, tx *database.Tx) error {
		member, err := teamleave.Keep(ctx, tx, v.TeamID, v.UserID)
		if err == nil && !member {
			err = refusal.Missing() // the maker has left the team since the request came
		}
		if err != nil {
			return err
		}
		if group.Number, err = insert(ctx, tx, group); err != nil {
			return err
		}
		return insertMember(ctx, tx, group.Number, v.UserID, group.CreatedAt)
	})
	if errors.Is(err, database.ErrUnique) {
		return Group{}, invalid("url_name is taken")
	}
	return group, err
}

// change changes a group that the viewer may look after: a member's own, or any for the owner and the admins.
func (g *Groups) change(ctx context.Context, v Viewer, urlName string,
	change func(ctx context.Context, tx *database.Tx, group Group) error,
) error {
	return g.world.DB.WriteKeyed(ctx, key(urlName), func(ctx context.Context, tx *database.Tx) error {
		group, err := g.Find(ctx, tx, v, urlName)
		if err != nil {
			return err
		}
		if err := g.checkMember(ctx, tx, v, group); refusal.Is(err) {
			return forbidden("Only members of the group and the owner and admins of the team may change it")
		} else if err != nil {
			return err
		}
		return change(ctx, tx, group)
	})
}

// Update changes the name of a group and who sees it.
func (g *Groups) Update(ctx context.Context, v Viewer, urlName string, p Patch) (out Group, err error) {
	now := g.now()
	err = g.change(ctx, v, urlName, func(ctx context.Context, tx *database.Tx, group Group) error {
		if p.Name != nil {
			group.Name = *p.Name
		}
		if p.Description != nil {
			group.Description = *p.Description
		}
		if p.Private != nil {
			group.Private = *p.Private
		}
		if err := group.check(); err != nil {
			return err
		}
		group.UpdatedAt, out = now, group
		tx.OnCommit(g.events.Changed)
		return update(ctx, tx, group)
	})
	return out, err
}

// Delete ends a group. Its items and templates become the whole team's, so a private one must be empty.
func (g *Groups) Delete(ctx context.Context, v Viewer, urlName string) (err error) {
	// An item may be written in the group after it was emptied. The database refuses
	// to delete it then, and the next attempt sees what was written.
	for range 3 {
		err = g.change(ctx, v, urlName, g.remove)
		if !errors.Is(err, database.ErrForeignKey) {
			return err
		}
	}
	return err
}

func (g *Groups) remove(ctx context.Context, tx *database.Tx, group Group) error {
	released, err := g.release(ctx, tx, group)
	if err != nil {
		return err
	}
	if err := remove(ctx, tx, group.Number); err != nil {
		return err
	}
	tx.OnCommit(g.events.Changed)
	return g.events.Released(ctx, tx, released)
}

// release gives what a group holds to the whole team and returns the items. A private one gives nothing: what is
// written in it after it was looked at keeps it from being deleted.
func (g *Groups) release(ctx context.Context, tx *database.Tx, group Group) ([]int64, error) {
	if !group.Private {
		return empty(ctx, tx, group.Number)
	}
	items, err := countItems(ctx, tx, group.Number)
	if err != nil {
		return nil, err
	}
	templates, err := countTemplates(ctx, tx, group.Number)
	if err == nil && items+templates > 0 {
		err = forbidden("A private group with items or templates cannot be deleted: everybody would see them")
	}
	return nil, err
}
