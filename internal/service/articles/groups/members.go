package groups

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/teamleave"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// maxIdentities bounds how many members one request names.
const maxIdentities = 100

// ChangeMembers adds members of the team to a group or removes them. They are named by their names or addresses.
func (g *Groups) ChangeMembers(ctx context.Context, v Viewer, urlName string, identities []string, in bool) (
	out Group, err error,
) {
	if len(identities) == 0 || len(identities) > maxIdentities {
		return Group{}, invalid("identities must hold 1 to 100 names or addresses of members")
	}
	ids, err := g.teamMembers(ctx, v.TeamID, identities)
	if err != nil {
		return Group{}, err
	}
	now := g.now()
	err = g.change(ctx, v, urlName, func(ctx context.Context, tx *database.Tx, group Group) (err error) {
		out = group
		if in {
			return addMembers(ctx, tx, group, ids, now)
		}
		for _, id := range ids {
			if err := deleteMember(ctx, tx, group.Number, id); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// addMembers adds users to a group, who may have left the team since they were found.
func addMembers(ctx context.Context, tx *database.Tx, group Group, ids []int64, now time.Time) error {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		member, err := teamleave.Keep(ctx, tx, group.TeamID, id)
		if err == nil && !member {
			err = errNoMember()
		}
		if err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := insertMember(ctx, tx, group.Number, id, now); err != nil {
			return err
		}
	}
	return nil
}

func errNoMember() error { return invalid("identities names a user who is not a member of the team") }

// teamMembers finds members of the team by names or addresses.
func (g *Groups) teamMembers(ctx context.Context, teamID int64, identities []string) ([]int64, error) {
	members, _, err := g.identity.TeamMembers(ctx, teamID, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	known := make(map[string]int64, 2*len(members))
	for _, m := range members {
		known[strings.ToLower(m.User.Name)] = m.User.ID
		if m.User.Email != "" {
			known[strings.ToLower(m.User.Email)] = m.User.ID
		}
	}
	ids := make([]int64, len(identities))
	for n, name := range identities {
		id, ok := known[strings.ToLower(name)]
		if !ok {
			return nil, errNoMember()
		}
		ids[n] = id
	}
	return ids, nil
}

// Members lists the members of a group, the first first. Only the owner and the admins of the team see addresses.
func (g *Groups) Members(ctx context.Context, v Viewer, urlName string, p page.Numbers) (
	[]identity.User, int64, error,
) {
	group, err := g.Find(ctx, g.world.DB, v, urlName)
	if err != nil {
		return nil, 0, err
	}
	ids, total, err := listMembers(ctx, g.world.DB, group.Number, p)
	if err != nil {
		return nil, 0, err
	}
	members, err := g.users(ctx, v, ids)
	return members, total, err
}

// Member finds one member of a group.
func (g *Groups) Member(ctx context.Context, v Viewer, urlName string, userID int64) (identity.User, error) {
	group, err := g.Find(ctx, g.world.DB, v, urlName)
	if err != nil {
		return identity.User{}, err
	}
	member, err := isMember(ctx, g.world.DB, group.Number, userID)
	if err != nil {
		return identity.User{}, err
	}
	if !member {
		return identity.User{}, refusal.Missing()
	}
	members, err := g.users(ctx, v, []int64{userID})
	if err != nil {
		return identity.User{}, err
	}
	return members[0], nil
}

// users are users as members of a group, in the order of their ids in the list.
func (g *Groups) users(ctx context.Context, v Viewer, ids []int64) ([]identity.User, error) {
	manages, err := g.manages(ctx, v)
	if err != nil {
		return nil, err
	}
	list, err := g.identity.UsersByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("find users: %w", err)
	}
	byID := make(map[int64]identity.User, len(list))
	for _, u := range list {
		byID[u.ID] = u
	}
	out := make([]identity.User, len(ids))
	for n, id := range ids {
		// Who is mentioned is disabled or leaves a name, and is never deleted.
		if out[n] = byID[id]; !manages {
			out[n].Email = ""
		}
	}
	return out, nil
}

// Leave takes a user out of every group of a team: who comes back to the team one day must not find them.
func (g *Groups) Leave(ctx context.Context, tx *database.Tx, teamID, userID int64) error {
	return deleteMemberships(ctx, tx, teamID, userID)
}
