package articles

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Person is a user as the contract shows one, with what was written.
type Person struct {
	identity.User
	// Items counts items on the public site.
	Items, Followees, Followers int64
}

// AuthenticatedUser is the caller as the contract shows it.
type AuthenticatedUser struct {
	Person
	UploadLimit, UploadRemaining int64
}

// AuthenticatedUser finds the person behind a token.
func (s *Service) AuthenticatedUser(ctx context.Context, caller *identity.Caller) (AuthenticatedUser, error) {
	list, err := s.persons(ctx, []int64{caller.UserID})
	return AuthenticatedUser{
		Person: list[caller.UserID], UploadLimit: s.config.MonthlyUploadBytes, UploadRemaining: s.config.MonthlyUploadBytes,
	}, err
}

// person finds a user by name. On a team's host only its members exist.
func (s *Service) person(ctx context.Context, v Visit, name string) (identity.User, error) {
	u, err := s.identity.UserByName(ctx, name)
	if err == nil && v.Team != nil {
		_, err = s.identity.TeamMember(ctx, v.Team.ID, u.ID)
	}
	if errors.Is(err, identity.ErrNotFound) {
		return identity.User{}, errNotFound()
	}
	if err != nil {
		return identity.User{}, fmt.Errorf("find user: %w", err)
	}
	if v.Team != nil || v.userID() != 0 {
		return u, nil
	}
	// Without a credential an account that has published nothing is not there.
	tallies, err := s.store.tallies(ctx, s.world.DB, []int64{u.ID})
	if err != nil {
		return identity.User{}, err
	}
	if len(tallies) == 0 || tallies[0].items == 0 {
		return identity.User{}, errNotFound()
	}
	return u, nil
}

// persons finds several people at once.
func (s *Service) persons(ctx context.Context, ids []int64) (map[int64]Person, error) {
	users, err := s.identity.UsersByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("find users: %w", err)
	}
	tallies, err := s.store.tallies(ctx, s.world.DB, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[int64]Person, len(users))
	for _, u := range users {
		out[u.ID] = Person{User: u}
	}
	for _, t := range tallies {
		if p, ok := out[t.user]; ok {
			p.Items, p.Followees, p.Followers = t.items, t.followees, t.followers
			out[t.user] = p
		}
	}
	return out, nil
}

// draw encodes a person.
func (s *Service) draw(p Person) *portrait {
	return &portrait{name: p.Name, title: p.DisplayName, text: s.userToWire(p), person: p}
}

// portraits are several people as they are sent. Each is looked up once.
func (s *Service) portraits(ctx context.Context, ids []int64) (map[int64]*portrait, error) {
	out := make(map[int64]*portrait, len(ids))
	var missing []int64
	var generation uint64
	for _, id := range ids {
		if _, known := out[id]; known {
			continue
		}
		p, at := s.shelf.person(id)
		if out[id] = p; p == nil {
			missing, generation = append(missing, id), at
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	people, err := s.persons(ctx, missing)
	if err != nil {
		return nil, err
	}
	for id, p := range people {
		out[id] = s.draw(p)
		if s.keeps() {
			s.shelf.keepPerson(generation, id, out[id])
		}
	}
	for _, id := range missing {
		if out[id] == nil {
			// Users are disabled, never deleted.
			return nil, fmt.Errorf("user %d is gone", id)
		}
	}
	return out, nil
}

// portraitsOf are the people behind the rows of a list.
func portraitsOf[T any](ctx context.Context, s *Service, rows []T, who func(T) int64) (map[int64]*portrait, error) {
	ids := make([]int64, len(rows))
	for n, row := range rows {
		ids[n] = who(row)
	}
	return s.portraits(ctx, ids)
}

// FollowUser follows a person or stops following. Nobody follows oneself.
func (s *Service) FollowUser(ctx context.Context, v Visit, name string, on bool) error {
	u, err := s.person(ctx, v, name)
	if err != nil {
		return err
	}
	me := v.userID()
	if u.ID == me {
		return errForbidden("You cannot follow yourself")
	}
	// One lock for everybody who follows: two people who follow each other at
	// once change the same two rows in opposite order.
	return s.world.DB.WriteKeyed(ctx, "articles/follow", func(ctx context.Context, tx *database.Tx) error {
		s.shelf.forget(tx, change{people: []int64{u.ID, me}})
		n, err := s.mark(ctx, tx, personMark(), u.ID, me, on)
		if err != nil || n == 0 {
			return err
		}
		return s.store.count(ctx, tx, countFollowees, n, me)
	})
}

// FollowsUser is not found unless the caller follows the person.
func (s *Service) FollowsUser(ctx context.Context, v Visit, name string) error {
	u, err := s.person(ctx, v, name)
	if err != nil {
		return err
	}
	return s.marked(ctx, personMark(), u.ID, v.userID())
}

// Users lists who has published an item, the newest account first; on a team's
// host its members.
func (s *Service) Users(ctx context.Context, v Visit, c cut) ([]int64, int64, error) {
	if v.Team != nil {
		members, total, err := s.identity.TeamMembers(ctx, v.Team.ID, int(c.offset), int(c.limit))
		ids := make([]int64, len(members))
		for n, m := range members {
			ids[n] = m.User.ID
		}
		return ids, total, err
	}
	return s.store.authors(ctx, s.world.DB, c)
}
