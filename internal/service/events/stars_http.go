package events

import (
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) starRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.reads("/user/starred", "list_own_starred", route.Optional, s.readOwnStarred),
		s.reads("/user/starred/{owner}/{repo}", "check_starred", route.Optional, s.readIsStarred),
		s.reads("/users/{username}/starred", "list_starred", route.Optional, s.readStarred),
		s.reads(repo+"/stargazers", "list_stargazers", route.Optional, s.readStargazers),
		s.reads(repo+"/subscribers", "list_subscribers", route.Optional, s.readSubscribers),
		s.reads(repo+"/subscription", "get_subscription", route.Optional, s.readSubscription),
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

func (s *Service) readOwnStarred(r *route.Request) (reply, error) {
	user, err := s.caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	return s.starredReply(r, user.ID)
}

func (s *Service) readStarred(r *route.Request) (reply, error) {
	found, err := s.account(r.Context(), identity.From(r), r.PathValue("username"))
	if err != nil {
		return reply{}, err
	}
	if found.kind != forge.OwnerUser {
		return s.starredReply(r, unknownUserID)
	}
	return s.starredReply(r, found.id())
}

// readIsStarred is 204 for a repository that the caller starred, else 404.
func (s *Service) readIsStarred(r *route.Request) (reply, error) {
	user, err := s.caller(r.Context(), identity.From(r))
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

type stargazerJSON struct {
	StarredAt string   `json:"starred_at"`
	User      userJSON `json:"user"`
}

// readStargazers lists users; a client that accepts the form with dates gets those.
func (s *Service) readStargazers(r *route.Request) (reply, error) {
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
		when[star.UserID] = stamp(star.At)
	}
	users, err := s.usersInOrder(r.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	list := usersToWire(users, s.base(r))
	if !strings.Contains(r.Header.Get("Accept"), ".star+json") {
		return s.listReply(r, list, at, total), nil
	}
	dated := make([]stargazerJSON, 0, len(list))
	for _, u := range list {
		dated = append(dated, stargazerJSON{StarredAt: when[u.ID], User: u})
	}
	return s.listReply(r, dated, at, total), nil
}

func (s *Service) readSubscribers(r *route.Request) (reply, error) {
	repo, err := s.repositoryBelow(r, "/subscribers")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	ids, total, err := s.forge.Subscribers(r.Context(), repo, at.size, at.offset())
	if err != nil {
		return reply{}, err
	}
	users, err := s.usersInOrder(r.Context(), ids)
	return s.listReply(r, usersToWire(users, s.base(r)), at, total), err
}

type subscriptionJSON struct {
	Subscribed    bool    `json:"subscribed"`
	Ignored       bool    `json:"ignored"`
	Reason        *string `json:"reason"`
	CreatedAt     string  `json:"created_at"`
	URL           string  `json:"url"`
	RepositoryURL string  `json:"repository_url"`
}

// readSubscription shows whether the feed of what the caller receives holds the
// repository.
func (s *Service) readSubscription(r *route.Request) (reply, error) {
	user, err := s.caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	repo, err := s.repositoryBelow(r, "/subscription")
	if err != nil {
		return reply{}, err
	}
	watches, err := s.forge.Watches(r.Context(), repo, user.ID)
	url := s.base(r) + "/repos/" + repo.FullName()
	return reply{body: subscriptionJSON{
		Subscribed: watches, CreatedAt: stamp(repo.CreatedAt), URL: url + "/subscription", RepositoryURL: url,
	}}, err
}
