package events

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
)

func (s *Service) starRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.reads("/user/starred", "list_own_starred", route.Optional, s.handleOwnStarred),
		s.reads("/user/starred/{owner}/{repo}", "check_starred", route.Optional, s.handleIsStarred),
		s.reads("/users/{username}/starred", "list_starred", route.Optional, s.handleStarred),
		s.reads(repo+"/stargazers", "list_stargazers", route.Optional, s.handleStargazers),
		s.reads(repo+"/subscribers", "list_subscribers", route.Optional, s.handleSubscribers),
		s.reads(repo+"/subscription", "get_subscription", route.Optional, s.handleSubscription),
	}
}

// starredReply is one page of what a user starred, the latest star first.
func (s *Service) starredReply(r *route.Request, userID int64) (reply, error) {
	q := forge.RepositoryQuery{StarredBy: userID, Order: forge.ByStarred}
	sort, err := choice(r, "sort", "created", "updated")
	if err != nil {
		return reply{}, err
	}
	if sort == "updated" {
		q.Order = forge.ByUpdated
	}
	direction, err := choice(r, "direction", "desc", "asc")
	if err != nil {
		return reply{}, err
	}
	q.Descending = direction == "desc"
	return s.reposReply(r, q)
}

func (s *Service) handleOwnStarred(r *route.Request) (reply, error) {
	user, err := s.access.Caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	return s.starredReply(r, user.ID)
}

func (s *Service) handleStarred(r *route.Request) (reply, error) {
	found, err := s.access.Account(r.Context(), identity.From(r), r.PathValue("username"))
	if err != nil {
		return reply{}, err
	}
	if found.Kind != forge.OwnerUser {
		return s.starredReply(r, unknownUserID)
	}
	return s.starredReply(r, found.ID())
}

// handleIsStarred is 204 for a repository that the caller starred, else 404.
func (s *Service) handleIsStarred(r *route.Request) (reply, error) {
	user, err := s.access.Caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	repo, _, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/user/starred/" + moved.FullName()
	})
	if err != nil {
		return reply{}, err
	}
	starred, err := s.forge.Starred(r.Context(), repo.ID, user.ID)
	if err == nil && !starred {
		err = errNotFound()
	}
	return reply{empty: true}, err
}

// handleStargazers lists users; a client that accepts the form with dates gets those.
func (s *Service) handleStargazers(r *route.Request) (reply, error) {
	repo, err := s.repositoryBelow(r, "/stargazers")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	stars, total, err := s.forge.Stargazers(r.Context(), repo.ID, at.size, at.offset())
	if err != nil {
		return reply{}, err
	}
	ids := make([]int64, 0, len(stars))
	when := map[int64]string{}
	for _, star := range stars {
		ids = append(ids, star.UserID)
		when[star.UserID] = objects.Stamp(star.At)
	}
	users, err := s.access.UsersInOrder(r.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	list := objects.NewUsers(users, s.base(r))
	if !strings.Contains(r.Header.Get("Accept"), ".star+json") {
		return s.listReply(r, list, at, total), nil
	}
	dated := make([]objects.Stargazer, 0, len(list))
	for _, u := range list {
		dated = append(dated, objects.Stargazer{StarredAt: when[u.ID], User: u})
	}
	return s.listReply(r, dated, at, total), nil
}

func (s *Service) handleSubscribers(r *route.Request) (reply, error) {
	repo, err := s.repositoryBelow(r, "/subscribers")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	ids, total, err := s.forge.Subscribers(r.Context(), repo, at.size, at.offset())
	if err != nil {
		return reply{}, err
	}
	users, err := s.access.UsersInOrder(r.Context(), ids)
	return s.listReply(r, objects.NewUsers(users, s.base(r)), at, total), err
}

// handleSubscription shows whether the feed of what the caller receives holds the
// repository.
func (s *Service) handleSubscription(r *route.Request) (reply, error) {
	user, err := s.access.Caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	repo, err := s.repositoryBelow(r, "/subscription")
	if err != nil {
		return reply{}, err
	}
	watches, err := s.forge.Watches(r.Context(), repo, user.ID)
	url := s.base(r) + "/repos/" + repo.FullName()
	return reply{body: objects.Subscription{
		Subscribed: watches, CreatedAt: objects.Stamp(repo.CreatedAt), URL: url + "/subscription", RepositoryURL: url,
	}}, err
}

func (s *Service) handleStar(w http.ResponseWriter, r *route.Request) error {
	return s.star(w, r, func(repo forge.Repository, actor forge.Actor) error {
		return s.forge.Star(r.Context(), repo.ID, actor)
	})
}

func (s *Service) handleUnstar(w http.ResponseWriter, r *route.Request) error {
	return s.star(w, r, func(repo forge.Repository, actor forge.Actor) error {
		return s.forge.Unstar(r.Context(), repo.ID, actor.ID)
	})
}

func (s *Service) star(
	w http.ResponseWriter, r *route.Request, change func(forge.Repository, forge.Actor) error,
) error {
	repo, actor, err := s.requireRepository(r, forge.Read, forge.ScopeStarring)
	if err != nil {
		return err
	}
	if access.UserOf(identity.From(r)) == 0 {
		return refusal.UserOnly(forge.ScopeStarring)
	}
	if err := change(repo, actor); err != nil {
		return fromForge(err)
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}
