package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) handleAuthenticatedUser(w http.ResponseWriter, r *route.Request) error {
	u, err := s.AuthenticatedUser(r.Context(), identity.From(r))
	if err != nil {
		return err
	}
	return write(w, r, http.StatusOK, s.authenticatedUserToWire(u))
}

func (s *Service) handleUser(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		return u.ID, err
	}, s.showUsers(r.Context()))
}

// showUsers writes a list of people.
func (s *Service) showUsers(ctx context.Context) func(Visit, []int64) (any, error) {
	return func(_ Visit, ids []int64) (any, error) {
		texts, err := s.portraits(ctx, ids)
		if err != nil {
			return nil, err
		}
		out := encoded{'['}
		for _, id := range ids {
			out = append(separate(out), texts[id].text...)
		}
		return append(out, ']'), nil
	}
}

func (s *Service) handleUsers(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) { return s.Users(r.Context(), v, c) }, s.showUsers(r.Context()))
}

func (s *Service) handleFollowees(w http.ResponseWriter, r *route.Request) error {
	return listOf(s, w, r, s.store.followees, s.showUsers(r.Context()))
}

func (s *Service) handleFollowers(w http.ResponseWriter, r *route.Request) error {
	return listOf(s, w, r, s.store.followers, s.showUsers(r.Context()))
}

// listOf lists what belongs to the person of the path.
func listOf[T any](s *Service, w http.ResponseWriter, r *route.Request,
	fetch func(ctx context.Context, q database.Querier, userID int64, c cut) ([]T, int64, error), show func(v Visit, rows []T) (any, error),
) error {
	return list(s, w, r, func(v Visit, c cut) ([]T, int64, error) {
		u, err := s.person(r.Context(), v, r.PathValue("user_id"))
		if err != nil {
			return nil, 0, err
		}
		return fetch(r.Context(), s.world.DB, u.ID, c)
	}, show)
}

func (s *Service) handleStockers(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		i, err := s.see(r.Context(), s.world.DB, v, r.PathValue("item_id"))
		if err != nil {
			return nil, 0, err
		}
		return s.store.stockers(r.Context(), s.world.DB, i.Number, c)
	}, s.showUsers(r.Context()))
}

func (s *Service) handleFollowsUser(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error { return s.FollowsUser(r.Context(), v, r.PathValue("user_id")) })
}

func (s *Service) handleFollowUser(on bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return s.act(w, r, func(v Visit) error { return s.FollowUser(r.Context(), v, r.PathValue("user_id"), on) })
	}
}
