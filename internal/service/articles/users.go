package articles

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
)

// AuthenticatedUser is the caller as the contract shows it.
type AuthenticatedUser struct {
	User
	UploadLimit, UploadRemaining int64
}

// AuthenticatedUser finds the user behind a token.
func (s *Service) AuthenticatedUser(ctx context.Context, caller *identity.Caller) (AuthenticatedUser, error) {
	u, err := s.user(ctx, caller.UserID)
	if err != nil {
		return AuthenticatedUser{}, err
	}
	remaining, err := s.pictures.Remaining(ctx, caller.UserID)
	return AuthenticatedUser{User: *u, UploadLimit: s.config.MonthlyUploadBytes, UploadRemaining: remaining}, err
}

// User finds a user by name.
func (s Scope) User(ctx context.Context, name string) (*User, error) {
	u, err := s.userByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.user(ctx, u.ID)
}

// userByName finds a user. On a team's host only its members exist.
func (s Scope) userByName(ctx context.Context, name string) (identity.User, error) {
	u, err := s.identity.UserByName(ctx, name)
	if err == nil && s.Team != nil {
		_, err = s.identity.TeamMember(ctx, s.Team.ID, u.ID)
	}
	missing := errors.Is(err, identity.ErrNotFound)
	switch {
	case err != nil && !missing:
		return u, fmt.Errorf("find user: %w", err)
	case s.Team == nil && s.userID() == 0:
		// Without a credential an account that has published nothing is not there. What one that
		// is not there has published is read too: a refusal that came sooner would tell it.
		counts, err := countsByUser(ctx, s.world.DB, []int64{u.ID})
		if err != nil {
			return u, err
		}
		missing = missing || counts[u.ID].items == 0
	}
	if missing {
		return u, errNotFound()
	}
	return u, nil
}

func (s *Service) user(ctx context.Context, id int64) (*User, error) {
	users, err := s.users(ctx, []int64{id})
	return users[id], err
}

// users finds several users by id, each once.
func (s *Service) users(ctx context.Context, ids []int64) (map[int64]*User, error) {
	out := make(map[int64]*User, len(ids))
	base := s.world.URL(ctx)
	// Only those with the world's usual address are kept.
	kept := base != "" && base == s.world.OwnURL(context.Background())
	var missing []int64
	for _, id := range ids {
		if _, known := out[id]; known {
			continue
		}
		if kept {
			out[id] = s.cache.User(id)
		}
		if out[id] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	generation := s.cache.Generation()
	users, err := s.identity.UsersByID(ctx, missing)
	if err != nil {
		return nil, fmt.Errorf("find users: %w", err)
	}
	counts, err := countsByUser(ctx, s.world.DB, missing)
	if err != nil {
		return nil, err
	}
	said, err := s.profiles.ByUsers(ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		c := counts[u.ID]
		out[u.ID] = s.encodeUser(base, User{
			User: u, Items: c.items, Followees: c.followees, Followers: c.followers, Profile: said[u.ID],
		})
		if kept {
			s.cache.PutUser(generation, u.ID, out[u.ID])
		}
	}
	for _, id := range missing {
		if out[id] == nil {
			// Who is mentioned is disabled or leaves a name, and is never deleted.
			return nil, fmt.Errorf("user %d is gone", id)
		}
	}
	return out, nil
}

// setAuthors sets the users of rows, each looked up once.
func setAuthors[T any, P interface {
	*T
	pointer() *author
}](ctx context.Context, s *Service, rows []T) error {
	ids := make([]int64, len(rows))
	for n := range rows {
		ids[n] = P(&rows[n]).pointer().UserID
	}
	users, err := s.users(ctx, ids)
	if err != nil {
		return err
	}
	for n := range rows {
		a := P(&rows[n]).pointer()
		a.User = users[a.UserID]
	}
	return nil
}

// authored sets the users of rows that were listed.
func authored[T any, P interface {
	*T
	pointer() *author
}](rows []T, total int64, err error) func(context.Context, Scope) ([]T, int64, error) {
	return func(ctx context.Context, s Scope) ([]T, int64, error) {
		if err == nil {
			err = setAuthors[T, P](ctx, s.Service, rows)
		}
		return rows, total, err
	}
}

// Users lists who has published an item, the newest account first; on a team's
// host its members.
func (s Scope) Users(ctx context.Context, p page.Numbers) ([]author, int64, error) {
	if s.Team == nil {
		return authored(listAuthors(ctx, s.world.DB, p))(ctx, s)
	}
	members, total, err := s.identity.TeamMembers(ctx, s.Team.ID, int(p.Offset()), p.Size)
	ids := make([]author, len(members))
	for n, m := range members {
		ids[n].UserID = m.User.ID
	}
	return authored(ids, total, err)(ctx, s)
}
