package groups

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// Viewer is a caller in a site. TeamID is 0 on the public site, UserID 0 for an anonymous request.
type Viewer struct{ TeamID, UserID int64 }

// Visibility is what lists of a site show to a viewer: in teams what is in no private group that the viewer did not
// join.
type Visibility struct {
	Viewer
	// All is true where no group is hidden.
	All bool
}

// Args are the first parameters of statements with one of the conditions below.
func (v Visibility) Args(more ...any) []any {
	return append([]any{v.TeamID, v.UserID, v.All}, more...)
}

const (
	// Hidden finds a private group that the viewer did not join; its number follows.
	Hidden = `SELECT 1 FROM articles_groups o WHERE o.private AND NOT EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = $2) AND o.number = `

	visible = `o.team_id = $1 AND ($3 OR NOT o.private OR EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = $2))`
)

// Visibility finds what lists show to a viewer.
func (g *Groups) Visibility(ctx context.Context, v Viewer) (Visibility, error) {
	if v.TeamID == 0 {
		return Visibility{All: true}, nil
	}
	manages, err := g.manages(ctx, v)
	return Visibility{Viewer: v, All: manages}, err
}

// manages reports whether the viewer is the owner or an admin of the team.
func (g *Groups) manages(ctx context.Context, v Viewer) (bool, error) {
	me, err := g.identity.TeamMember(ctx, v.TeamID, v.UserID)
	if errors.Is(err, identity.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find member: %w", err)
	}
	return me.Role.Manages(), nil
}

// CheckVisible is not found when the viewer may not see the group; number 0 stands for no group.
func (g *Groups) CheckVisible(ctx context.Context, q database.Querier, v Viewer, number int64) error {
	if number == 0 {
		return nil
	}
	list, err := byNumber(ctx, q, []int64{number})
	if err != nil || len(list) == 0 || !list[0].Private {
		return err
	}
	return g.checkMember(ctx, q, v, list[0])
}

// checkMember is not found unless the viewer is a member of the group, or the owner or an admin of the team.
func (g *Groups) checkMember(ctx context.Context, q database.Querier, v Viewer, group Group) error {
	member, err := isMember(ctx, q, group.Number, v.UserID)
	if err != nil || member {
		return err
	}
	manages, err := g.manages(ctx, v)
	if err == nil && !manages {
		return refusal.Missing()
	}
	return err
}

// Find finds a group that the viewer may see.
func (g *Groups) Find(ctx context.Context, q database.Querier, v Viewer, urlName string) (Group, error) {
	group, err := byURLName(ctx, q, v.TeamID, urlName)
	if errors.Is(err, database.ErrNotFound) {
		return group, refusal.Missing()
	}
	if err != nil || !group.Private {
		return group, err
	}
	return group, g.checkMember(ctx, q, v, group)
}
