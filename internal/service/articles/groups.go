package articles

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

// Groups lists the groups that the caller may see, the newest first.
func (s Scope) Groups(ctx context.Context, p page.Numbers) ([]Group, int64, error) {
	v, err := s.visibility(ctx)
	if err != nil {
		return nil, 0, err
	}
	return listGroups(ctx, s.world.DB, v, p)
}

// Group finds a group that the caller may see.
func (s Scope) Group(ctx context.Context, urlName string) (Group, error) {
	return s.visibleGroup(ctx, s.world.DB, urlName)
}

// groupsByNumber finds several groups at once; 0 stands for no group.
func (s *Service) groupsByNumber(ctx context.Context, numbers []int64) (map[int64]*Group, error) {
	var wanted []int64
	for _, number := range numbers {
		if number != 0 {
			wanted = append(wanted, number)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	list, err := groupsByNumber(ctx, s.world.DB, wanted)
	out := make(map[int64]*Group, len(list))
	for n := range list {
		out[list[n].Number] = &list[n]
	}
	return out, err
}

var groupURLName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

func (g Group) check() error {
	if strings.TrimSpace(g.Name) == "" || utf8.RuneCountInString(g.Name) > maxTitle ||
		utf8.RuneCountInString(g.Description) > maxDescription {
		return errInvalid("name must have 1 to 255 characters and description at most 4096")
	}
	return nil
}

// CreateGroup makes a group of the team, with its maker as the first member.
func (s Scope) CreateGroup(ctx context.Context, g Group) (Group, error) {
	if !groupURLName.MatchString(g.URLName) {
		return Group{}, errInvalid("url_name must have 1 to 63 lower-case letters, digits, - and _")
	}
	if err := g.check(); err != nil {
		return Group{}, err
	}
	g.TeamID, g.CreatedAt = s.teamID(), s.now()
	g.UpdatedAt = g.CreatedAt
	me := s.userID()
	err := s.world.DB.WriteKeyed(ctx, userKey(me), func(ctx context.Context, tx *database.Tx) (err error) {
		if g.Number, err = insertGroup(ctx, tx, g); err != nil {
			return err
		}
		return insertGroupMember(ctx, tx, g.Number, me, g.CreatedAt)
	})
	if errors.Is(err, database.ErrUnique) {
		return Group{}, errInvalid("url_name is taken")
	}
	return g, err
}

// changeGroup changes a group that the caller may look after: a member's own, or
// any for the owner and the admins.
func (s Scope) changeGroup(ctx context.Context, urlName string,
	change func(ctx context.Context, tx *database.Tx, g Group) error,
) error {
	return s.world.DB.WriteKeyed(ctx, "articles/group/"+urlName, func(ctx context.Context, tx *database.Tx) error {
		g, err := s.visibleGroup(ctx, tx, urlName)
		if err != nil {
			return err
		}
		var refused *Error
		if err := s.checkGroupMember(ctx, tx, g); errors.As(err, &refused) {
			return errForbidden("Only members of the group and the owner and admins of the team may change it")
		} else if err != nil {
			return err
		}
		return change(ctx, tx, g)
	})
}

// UpdateGroup changes the name of a group and who sees it.
func (s Scope) UpdateGroup(ctx context.Context, urlName string, c groupPatch) (
	out Group, err error,
) {
	now := s.now()
	err = s.changeGroup(ctx, urlName, func(ctx context.Context, tx *database.Tx, g Group) error {
		set(&g.Name, c.Name)
		set(&g.Description, c.Description)
		set(&g.Private, c.Private)
		if err := g.check(); err != nil {
			return err
		}
		g.UpdatedAt, out = now, g
		tx.OnCommit(s.cache.forgetAll)
		return updateGroup(ctx, tx, g)
	})
	return out, err
}

// DeleteGroup ends a group. Its items and templates become the whole team's, so a
// private one must be empty.
func (s Scope) DeleteGroup(ctx context.Context, urlName string) (err error) {
	// An item may be written in the group after it was emptied. The database refuses
	// to delete it then, and the next attempt sees what was written.
	for range 3 {
		err = s.changeGroup(ctx, urlName, s.deleteGroup)
		if !errors.Is(err, database.ErrForeignKey) {
			return err
		}
	}
	return err
}

func (s *Service) deleteGroup(ctx context.Context, tx *database.Tx, g Group) error {
	items, err := itemsInGroup(ctx, tx, g.Number)
	if err != nil {
		return err
	}
	templates, err := countTemplates(ctx, tx, g.Number)
	if err != nil {
		return err
	}
	if g.Private && len(items)+int(templates) > 0 {
		return errForbidden("A private group with items or templates cannot be deleted: everybody would see them")
	}
	if err := emptyGroup(ctx, tx, g.Number); err != nil {
		return err
	}
	if err := deleteGroup(ctx, tx, g.Number); err != nil {
		return err
	}
	tx.OnCommit(s.cache.forgetAll)
	for _, number := range items {
		list, err := itemsByNumber(ctx, tx, []int64{number}, nil)
		if err != nil {
			return err
		}
		for _, i := range list {
			if err := s.index.Put(ctx, tx, searchItem(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxIdentities bounds how many members one request names.
const maxIdentities = 100

// ChangeMembers adds members of the team to a group or removes them. They are named
// by their names or addresses.
func (s Scope) ChangeMembers(ctx context.Context, urlName string, identities []string, in bool) (
	out Group, err error,
) {
	if len(identities) == 0 || len(identities) > maxIdentities {
		return Group{}, errInvalid("identities must hold 1 to 100 names or addresses of members")
	}
	ids, err := s.teamMembersByIdentity(ctx, identities)
	if err != nil {
		return Group{}, err
	}
	now := s.now()
	err = s.changeGroup(ctx, urlName, func(ctx context.Context, tx *database.Tx, g Group) (err error) {
		out = g
		for _, id := range ids {
			if in {
				err = insertGroupMember(ctx, tx, g.Number, id, now)
			} else {
				err = deleteGroupMember(ctx, tx, g.Number, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// teamMembersByIdentity finds members of the team by names or addresses.
func (s Scope) teamMembersByIdentity(ctx context.Context, identities []string) ([]int64, error) {
	members, _, err := s.identity.TeamMembers(ctx, s.teamID(), 0, 0)
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
			return nil, errInvalid("identities names a user who is not a member of the team")
		}
		ids[n] = id
	}
	return ids, nil
}

// GroupMembers lists the members of a group, the first first. Only the owner and the
// admins of the team see addresses.
func (s Scope) GroupMembers(ctx context.Context, urlName string, p page.Numbers) (
	[]identity.User, int64, error,
) {
	g, err := s.visibleGroup(ctx, s.world.DB, urlName)
	if err != nil {
		return nil, 0, err
	}
	ids, total, err := listGroupMembers(ctx, s.world.DB, g.Number, p)
	if err != nil {
		return nil, 0, err
	}
	members, err := s.memberUsers(ctx, ids)
	return members, total, err
}

// GroupMember finds one member of a group.
func (s Scope) GroupMember(ctx context.Context, urlName, name string) (identity.User, error) {
	g, err := s.visibleGroup(ctx, s.world.DB, urlName)
	if err != nil {
		return identity.User{}, err
	}
	u, err := s.userByName(ctx, name)
	if err != nil {
		return identity.User{}, err
	}
	member, err := isGroupMember(ctx, s.world.DB, g.Number, u.ID)
	if err != nil {
		return identity.User{}, err
	}
	if !member {
		return identity.User{}, errNotFound("Not found")
	}
	members, err := s.memberUsers(ctx, []int64{u.ID})
	if err != nil {
		return identity.User{}, err
	}
	return members[0], nil
}

// memberUsers are users as members of a group.
func (s Scope) memberUsers(ctx context.Context, ids []int64) ([]identity.User, error) {
	manages, err := s.manages(ctx)
	if err != nil {
		return nil, err
	}
	users, err := s.users(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]identity.User, len(ids))
	for n, id := range ids {
		if out[n] = users[id].User; !manages {
			out[n].Email = ""
		}
	}
	return out, nil
}
