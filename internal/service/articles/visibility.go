package articles

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// A private item is visible to its author. A private group, with its items and
// templates, is visible to its members, and to the owner and the admins of the
// team, who look after all groups.

// visibility is what lists of an edition show to a viewer: the viewer's own private
// items, and in teams what is in no private group that the viewer did not join.
type visibility struct {
	teamID, viewer int64
	// all is true where nothing is hidden but private items.
	all bool
}

// args are the first parameters of statements with one of the conditions below.
func (v visibility) args(more ...any) []any {
	return append([]any{v.teamID, v.viewer, v.all}, more...)
}

const (
	// groupHidden finds a private group that the viewer did not join; its number
	// follows.
	groupHidden = `SELECT 1 FROM articles_groups o WHERE o.private AND NOT EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = $2) AND o.number = `

	itemGroupVisible = `(i.group_number IS NULL OR NOT EXISTS (` + groupHidden + `i.group_number))`

	itemVisible = `i.team_id = $1 AND (NOT i.private OR i.user_id = $2) AND ($3 OR ` + itemGroupVisible + `)`

	templateVisible = `p.team_id = $1 AND ($3 OR p.group_number IS NULL OR
		NOT EXISTS (` + groupHidden + `p.group_number))`

	groupVisible = `o.team_id = $1 AND ($3 OR NOT o.private OR EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = $2))`
)

func (s Scope) visibility(ctx context.Context) (visibility, error) {
	if s.Team == nil {
		return visibility{all: true}, nil
	}
	manages, err := s.manages(ctx)
	return visibility{teamID: s.Team.ID, viewer: s.userID(), all: manages}, err
}

// manages reports whether the caller is the owner or an admin of the team.
func (s Scope) manages(ctx context.Context) (bool, error) {
	me, err := s.identity.TeamMember(ctx, s.teamID(), s.userID())
	if errors.Is(err, identity.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find member: %w", err)
	}
	return me.Role.Manages(), nil
}

// visibleItem finds an item that the caller may see, without its texts.
func (s Scope) visibleItem(ctx context.Context, q database.Querier, id string) (Item, error) {
	i, err := itemHeadByID(ctx, q, s.teamID(), id)
	if err != nil {
		return i, err
	}
	return i, s.checkVisible(ctx, q, i)
}

// visibleItemFull is visibleItem with the texts.
func (s Scope) visibleItemFull(ctx context.Context, q database.Querier, id string) (Item, error) {
	i, err := itemByID(ctx, q, s.teamID(), id)
	if err != nil {
		return i, err
	}
	return i, s.checkVisible(ctx, q, i)
}

func (s Scope) checkVisible(ctx context.Context, q database.Querier, i Item) error {
	if i.Private && i.UserID != s.userID() {
		return errNotFound("Not found")
	}
	return s.checkGroupVisible(ctx, q, i.GroupNumber)
}

// checkGroupVisible is not found when the caller may not see the group; number 0
// stands for no group.
func (s Scope) checkGroupVisible(ctx context.Context, q database.Querier, number int64) error {
	if number == 0 {
		return nil
	}
	list, err := groupsByNumber(ctx, q, []int64{number})
	if err != nil || len(list) == 0 || !list[0].Private {
		return err
	}
	return s.checkGroupMember(ctx, q, list[0])
}

// checkGroupMember is not found unless the caller is a member of the group, or the
// owner or an admin of the team.
func (s Scope) checkGroupMember(ctx context.Context, q database.Querier, g Group) error {
	member, err := isGroupMember(ctx, q, g.Number, s.userID())
	if err != nil || member {
		return err
	}
	manages, err := s.manages(ctx)
	if err == nil && !manages {
		return errNotFound("Not found")
	}
	return err
}

func (s Scope) visibleGroup(ctx context.Context, q database.Querier, urlName string) (Group, error) {
	g, err := groupByURLName(ctx, q, s.teamID(), urlName)
	if err != nil || !g.Private {
		return g, err
	}
	return g, s.checkGroupMember(ctx, q, g)
}

// visibleTemplate finds a template by its id, which is its number.
func (s Scope) visibleTemplate(ctx context.Context, q database.Querier, id string) (Template, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != id {
		return Template{}, errNotFound("Not found")
	}
	t, err := templateByNumber(ctx, q, s.teamID(), number)
	if err != nil {
		return t, err
	}
	return t, s.checkGroupVisible(ctx, q, t.GroupNumber)
}

func (s Scope) visibleComment(ctx context.Context, q database.Querier, id string) (Comment, error) {
	c, err := commentByID(ctx, q, s.teamID(), id)
	if err != nil {
		return c, err
	}
	items, err := itemHeads(ctx, q, []int64{c.Item})
	if err != nil {
		return c, err
	}
	if len(items) == 0 {
		return c, errNotFound("Not found")
	}
	return c, s.checkVisible(ctx, q, items[0])
}
