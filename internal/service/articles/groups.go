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
)

// A private group is seen by its members, and by the owner and the admins of the
// team, who look after all groups. Everybody sees the others.

// sight tells what lists show to a visitor.
func (s *Service) sight(ctx context.Context, v Visit) (sight, error) {
	if v.Team == nil {
		return sight{all: true}, nil
	}
	t := sight{teamID: v.Team.ID, viewer: v.userID()}
	manages, err := s.manages(ctx, v)
	t.all = manages
	return t, err
}

// manages reports whether the visitor is the owner or an admin of the team.
func (s *Service) manages(ctx context.Context, v Visit) (bool, error) {
	me, err := s.identity.TeamMember(ctx, v.teamID(), v.userID())
	if errors.Is(err, identity.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find member: %w", err)
	}
	return me.Role.Manages(), nil
}

// groupSeen is not found when the visitor may not see the group; number 0 is no
// group.
func (s *Service) groupSeen(ctx context.Context, q database.Querier, v Visit, number int64) error {
	if number == 0 {
		return nil
	}
	list, err := s.store.groupsByNumber(ctx, q, []int64{number})
	if err != nil || len(list) == 0 || !list[0].Private {
		return err
	}
	return s.joined(ctx, q, v, list[0])
}

// joined is not found unless the visitor belongs to the group.
func (s *Service) joined(ctx context.Context, q database.Querier, v Visit, g Group) error {
	member, err := s.store.isGroupMember(ctx, q, g.Number, v.userID())
	if err != nil || member {
		return err
	}
	manages, err := s.manages(ctx, v)
	if err == nil && !manages {
		return errNotFound()
	}
	return err
}

// seeGroup finds a group that the visitor may see.
func (s *Service) seeGroup(ctx context.Context, q database.Querier, v Visit, urlName string) (Group, error) {
	g, err := s.store.groupByName(ctx, q, v.teamID(), urlName)
	if err != nil || !g.Private {
		return g, err
	}
	return g, s.joined(ctx, q, v, g)
}

// Groups lists the groups that the visitor may see, the newest first.
func (s *Service) Groups(ctx context.Context, v Visit, c cut) ([]Group, int64, error) {
	t, err := s.sight(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	return s.store.groupList(ctx, s.world.DB, t, c)
}

func (g Group) check() error {
	if strings.TrimSpace(g.Name) == "" || utf8.RuneCountInString(g.Name) > maxTitle || utf8.RuneCountInString(g.Description) > maxDescription {
		return errBad("name must have 1 to 255 characters and description at most 4096")
	}
	return nil
}

// CreateGroup makes a group of the team, with its maker as the first member.
func (s *Service) CreateGroup(ctx context.Context, v Visit, g Group) (Group, error) {
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`).MatchString(g.URLName) {
		return Group{}, errBad("url_name must have 1 to 63 lower-case letters, digits, - and _")
	}
	if err := g.check(); err != nil {
		return Group{}, err
	}
	g.TeamID, g.CreatedAt = v.teamID(), s.now()
	g.UpdatedAt = g.CreatedAt
	err := s.world.DB.WriteKeyed(ctx, userKey(v.userID()), func(ctx context.Context, tx *database.Tx) (err error) {
		if g.Number, err = s.store.insertGroup(ctx, tx, g); err != nil {
			return err
		}
		return s.store.addGroupMember(ctx, tx, g.Number, v.userID(), g.CreatedAt)
	})
	if errors.Is(err, database.ErrUnique) {
		return Group{}, errBad("url_name is taken")
	}
	return g, err
}

// changeGroup changes a group that the caller may look after: a member's own, or
// any for the owner and the admins.
func (s *Service) changeGroup(ctx context.Context, v Visit, urlName string, f func(tx *database.Tx, g Group) error) error {
	return s.world.DB.WriteKeyed(ctx, "articles/group/"+urlName, func(ctx context.Context, tx *database.Tx) error {
		g, err := s.seeGroup(ctx, tx, v, urlName)
		if err != nil {
			return err
		}
		var refused *Error
		if err := s.joined(ctx, tx, v, g); errors.As(err, &refused) {
			return errForbidden("Only members of the group and the owner and admins of the team may change it")
		} else if err != nil {
			return err
		}
		return f(tx, g)
	})
}

// GroupChange holds the members to change; nil leaves one as it is.
type GroupChange struct {
	Name, Description *string
	Private           *bool
}

// UpdateGroup changes what a group is called and who sees it.
func (s *Service) UpdateGroup(ctx context.Context, v Visit, urlName string, c GroupChange) (out Group, err error) {
	now := s.now()
	err = s.changeGroup(ctx, v, urlName, func(tx *database.Tx, g Group) error {
		set(&g.Name, c.Name)
		set(&g.Description, c.Description)
		set(&g.Private, c.Private)
		if err := g.check(); err != nil {
			return err
		}
		g.UpdatedAt, out = now, g
		s.shelf.forget(tx, change{everything: true})
		return s.store.updateGroup(ctx, tx, g)
	})
	return out, err
}

// DeleteGroup ends a group. Its items and templates become everybody's, so a
// private one must be empty.
func (s *Service) DeleteGroup(ctx context.Context, v Visit, urlName string) (err error) {
	// Somebody may write in the group after it was emptied. The database refuses
	// to let it go then, and the next attempt sees what was written.
	for range 3 {
		if err = s.deleteGroup(ctx, v, urlName); !errors.Is(err, database.ErrForeignKey) {
			return err
		}
	}
	return err
}

func (s *Service) deleteGroup(ctx context.Context, v Visit, urlName string) error {
	return s.changeGroup(ctx, v, urlName, func(tx *database.Tx, g Group) error {
		items, err := s.store.itemsInGroup(ctx, tx, g.Number)
		if err != nil {
			return err
		}
		templates, err := s.store.countTemplates(ctx, tx, g.Number)
		if err != nil {
			return err
		}
		if g.Private && len(items)+int(templates) > 0 {
			return errForbidden("A private group with items or templates cannot be deleted: everybody would see them")
		}
		if err := s.store.emptyGroup(ctx, tx, g.Number); err != nil {
			return err
		}
		if err := s.store.deleteGroup(ctx, tx, g.Number); err != nil {
			return err
		}
		s.shelf.forget(tx, change{everything: true})
		for _, number := range items {
			if err := s.reindex(ctx, tx, number); err != nil {
				return err
			}
		}
		return nil
	})
}

// reindex makes an item findable as it is stored.
func (s *Service) reindex(ctx context.Context, tx *database.Tx, number int64) error {
	list, err := s.store.items(ctx, tx, []int64{number}, anything)
	if err != nil || len(list) == 0 {
		return err
	}
	return s.indexItem(ctx, tx, list[0], list[0].Tags)
}

// maxIdentities bounds how many members one request names.
const maxIdentities = 100

// ChangeMembers lets members of the team into a group or out of it. People are
// named by their names or addresses.
func (s *Service) ChangeMembers(ctx context.Context, v Visit, urlName string, identities []string, in bool) (out Group, err error) {
	if len(identities) == 0 || len(identities) > maxIdentities {
		return Group{}, errBad("identities must hold 1 to 100 names or addresses of members")
	}
	ids, err := s.teammates(ctx, v, identities)
	if err != nil {
		return Group{}, err
	}
	now := s.now()
	err = s.changeGroup(ctx, v, urlName, func(tx *database.Tx, g Group) (err error) {
		out = g
		for _, id := range ids {
			if in {
				err = s.store.addGroupMember(ctx, tx, g.Number, id, now)
			} else {
				err = s.store.removeGroupMember(ctx, tx, g.Number, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// teammates finds members of the team by names or addresses.
func (s *Service) teammates(ctx context.Context, v Visit, identities []string) ([]int64, error) {
	members, _, err := s.identity.TeamMembers(ctx, v.teamID(), 0, 0)
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
	for n, who := range identities {
		id, ok := known[strings.ToLower(who)]
		if !ok {
			return nil, errBad("identities names somebody who is not a member of the team")
		}
		ids[n] = id
	}
	return ids, nil
}

// GroupMembers lists the members of a group, the first first.
func (s *Service) GroupMembers(ctx context.Context, v Visit, urlName string, c cut) ([]int64, int64, error) {
	g, err := s.seeGroup(ctx, s.world.DB, v, urlName)
	if err != nil {
		return nil, 0, err
	}
	return s.store.groupMembers(ctx, s.world.DB, g.Number, c)
}

// GroupMember finds one member of a group.
func (s *Service) GroupMember(ctx context.Context, v Visit, urlName, name string) (int64, error) {
	g, err := s.seeGroup(ctx, s.world.DB, v, urlName)
	if err != nil {
		return 0, err
	}
	u, err := s.person(ctx, v, name)
	if err != nil {
		return 0, err
	}
	member, err := s.store.isGroupMember(ctx, s.world.DB, g.Number, u.ID)
	if err == nil && !member {
		return 0, errNotFound()
	}
	return u.ID, err
}
