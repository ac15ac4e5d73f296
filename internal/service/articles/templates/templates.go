package templates

import (
	"context"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// maxBody bounds the text of a template, because lists hold a hundred of them at once.
const maxBody = 256 << 10

// Template is a beginning for items of a team, with variables.
type Template struct {
	Number, TeamID, GroupNumber int64
	Name, Title, Body           string
	Tags                        []tagging.Tagging
	Coedit                      bool
	CreatedAt, UpdatedAt        time.Time
	Group                       *groups.Group

	// What follows has the values of the variables for the caller.
	ExpandedTitle, ExpandedBody string
	ExpandedTags                []tagging.Tagging
}

// Patch holds what to change of a template; nil leaves a member as it is.
type Patch struct {
	Name         *string
	Title        *string
	Body         *string
	Tags         *[]tagging.Tagging
	Coedit       *bool
	GroupURLName *string
}

// Caller is who asks, on the host of a team. Name stands for %{me}.
type Caller struct {
	groups.Viewer
	Name string
}

// Templates are those of all teams.
type Templates struct {
	world  *world.World
	groups *groups.Groups
}

// New makes the templates of a world.
func New(w *world.World, g *groups.Groups) *Templates { return &Templates{world: w, groups: g} }

func (t *Templates) now() time.Time { return t.world.Clock.Now().UTC().Truncate(time.Microsecond) }

func (t *Template) check() error {
	if err := refusal.CheckTitle("name", t.Name); err != nil {
		return err
	}
	if err := refusal.CheckTitle("title", t.Title); err != nil {
		return err
	}
	if t.Body == "" {
		return refusal.New(refusal.BadRequest, "body is missing")
	}
	if len(t.Body) > maxBody {
		return refusal.New(refusal.BadRequest, "body must have at most %d bytes", maxBody)
	}
	if err := tagging.CheckAll(t.Tags, false); err != nil {
		return err
	}
	for n := range t.Tags {
		t.Tags[n] = t.Tags[n].NotNull()
	}
	return nil
}

// Create keeps a beginning for the team's items, in a group if one is named.
func (t *Templates) Create(ctx context.Context, c Caller, made Template, groupURLName string) (Template, error) {
	if err := made.check(); err != nil {
		return Template{}, err
	}
	made.TeamID, made.CreatedAt = c.TeamID, t.now()
	made.UpdatedAt = made.CreatedAt
	err := t.world.DB.WriteKeyed(ctx, userKey(c.UserID), func(ctx context.Context, tx *database.Tx) (err error) {
		if err := t.groups.SetNumber(ctx, tx, c.Viewer, &made.GroupNumber, &groupURLName); err != nil {
			return err
		}
		made.Number, err = insert(ctx, tx, made)
		return err
	})
	if err != nil {
		return made, groups.OrNoGroup(err)
	}
	return t.complete(ctx, c, made)
}

// userKey is what writers of the same user wait for.
func userKey(id int64) string { return "articles/user/" + strconv.FormatInt(id, 10) }

// Update changes a template of the team.
func (t *Templates) Update(ctx context.Context, c Caller, id string, p Patch) (out Template, err error) {
	now := t.now()
	err = t.world.DB.WriteKeyed(ctx, "articles/template/"+id, func(ctx context.Context, tx *database.Tx) (err error) {
		if out, err = t.visible(ctx, tx, c, id); err != nil {
			return err
		}
		out.apply(p)
		if err := out.check(); err != nil {
			return err
		}
		if err := t.groups.SetNumber(ctx, tx, c.Viewer, &out.GroupNumber, p.GroupURLName); err != nil {
			return err
		}
		out.UpdatedAt = now
		return update(ctx, tx, out)
	})
	if err != nil {
		return out, groups.OrNoGroup(err)
	}
	return t.complete(ctx, c, out)
}

// apply sets what a patch names, but for the group.
func (t *Template) apply(p Patch) {
	for _, member := range []struct{ from, to *string }{{p.Name, &t.Name}, {p.Title, &t.Title}, {p.Body, &t.Body}} {
		if member.from != nil {
			*member.to = *member.from
		}
	}
	if p.Tags != nil {
		t.Tags = *p.Tags
	}
	if p.Coedit != nil {
		t.Coedit = *p.Coedit
	}
}

// Find finds a template that the caller may see.
func (t *Templates) Find(ctx context.Context, c Caller, id string) (Template, error) {
	found, err := t.visible(ctx, t.world.DB, c, id)
	if err != nil {
		return found, err
	}
	return t.complete(ctx, c, found)
}

// visible finds a template by its id, which is its number.
func (t *Templates) visible(ctx context.Context, q database.Querier, c Caller, id string) (Template, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != id {
		return Template{}, refusal.Missing()
	}
	found, err := byNumber(ctx, q, c.TeamID, number)
	if err != nil {
		return found, err
	}
	return found, t.groups.CheckVisible(ctx, q, c.Viewer, found.GroupNumber)
}

// List lists the templates of the team that the caller may see, the newest first.
func (t *Templates) List(ctx context.Context, c Caller, p page.Numbers, rows *rowmemory.Memory) (
	[]Template, int64, error,
) {
	v, err := t.groups.Visibility(ctx, c.Viewer)
	if err != nil {
		return nil, 0, err
	}
	read, total, err := list(ctx, t.world.DB, v, c.Name, p, rows)
	if err != nil {
		return nil, 0, err
	}
	found := make([]Template, len(read))
	for n := range read {
		found[n] = read[n].Template
	}
	return found, total, t.completeAll(ctx, c, found)
}

// Delete deletes a template of the team.
func (t *Templates) Delete(ctx context.Context, c Caller, id string) error {
	return t.world.DB.WriteKeyed(ctx, userKey(c.UserID), func(ctx context.Context, tx *database.Tx) error {
		found, err := t.visible(ctx, tx, c, id)
		if err != nil {
			return err
		}
		return remove(ctx, tx, found.Number)
	})
}

// Expand expands a template that is not kept.
func (t *Templates) Expand(title, body string, tags []tagging.Tagging, me string) (Template, error) {
	made := Template{Name: "x", Title: title, Body: body, Tags: tags}
	err := made.check()
	made.expand(t.now(), me)
	return made, err
}

func (t *Templates) complete(ctx context.Context, c Caller, found Template) (Template, error) {
	one := []Template{found}
	err := t.completeAll(ctx, c, one)
	return one[0], err
}

// completeAll sets the groups of templates and expands them.
func (t *Templates) completeAll(ctx context.Context, c Caller, found []Template) error {
	numbers := make([]int64, len(found))
	for n, one := range found {
		numbers[n] = one.GroupNumber
	}
	byNumber, err := t.groups.ByNumber(ctx, numbers)
	for n := range found {
		found[n].Group = byNumber[found[n].GroupNumber]
		found[n].expand(t.now(), c.Name)
	}
	return err
}
