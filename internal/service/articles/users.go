package articles

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
)

// Person is a user as the contract shows one, with what was written.
type Person struct {
	identity.User
	// Items counts items on the public site.
	Items int64
}

// AuthenticatedUser is the caller as the contract shows it.
type AuthenticatedUser struct {
	Person
	UploadLimit, UploadRemaining int64
}

// AuthenticatedUser finds the person behind a token.
func (s *Service) AuthenticatedUser(ctx context.Context, caller *identity.Caller) (AuthenticatedUser, error) {
	p, err := s.looker(ctx).user(caller.UserID)
	return AuthenticatedUser{
		Person: p, UploadLimit: s.config.MonthlyUploadBytes, UploadRemaining: s.config.MonthlyUploadBytes,
	}, err
}

// person finds a user by name. On a team's host only its members exist.
func (s *Service) person(ctx context.Context, v Visit, name string) (Person, error) {
	u, err := s.people.UserByName(ctx, name)
	if err == nil && v.Team != nil {
		_, err = s.people.TeamMember(ctx, v.Team.ID, u.ID)
	}
	if errors.Is(err, identity.ErrNotFound) {
		return Person{}, errNotFound()
	}
	if err != nil {
		return Person{}, fmt.Errorf("find user: %w", err)
	}
	return s.looker(ctx).user(u.ID)
}

// looker looks people and groups up for one answer, each once.
type looker struct {
	s      *Service
	ctx    context.Context
	people map[int64]Person
	groups map[int64]*Group
}

func (s *Service) looker(ctx context.Context) *looker {
	return &looker{s: s, ctx: ctx, people: map[int64]Person{}, groups: map[int64]*Group{}}
}

func (l *looker) user(id int64) (Person, error) {
	if p, ok := l.people[id]; ok {
		return p, nil
	}
	u, err := l.s.people.User(l.ctx, id)
	if err != nil {
		return Person{}, fmt.Errorf("find user: %w", err)
	}
	p := Person{User: u}
	if p.Items, err = l.s.store.itemsCount(l.ctx, l.s.world.DB, id); err != nil {
		return Person{}, err
	}
	l.people[id] = p
	return p, nil
}

// group is nil for number 0.
func (l *looker) group(number int64) (*Group, error) {
	if g, ok := l.groups[number]; ok || number == 0 {
		return g, nil
	}
	g, err := l.s.store.group(l.ctx, l.s.world.DB, number)
	if err != nil {
		return nil, err
	}
	l.groups[number] = &g
	return &g, nil
}
