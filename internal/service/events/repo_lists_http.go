package events

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/objects"
)

func (s *Service) repoListRoutes() []route.Route {
	return []route.Route{
		s.reads("/user/repos", "list_own_repos", route.Optional, s.handleOwnRepos),
		s.reads("/users/{username}/repos", "list_user_repos", route.Optional, s.handleUserRepos),
		s.reads("/orgs/{org}/repos", "list_org_repos", route.Optional, s.handleOrgRepos),
		s.reads("/repos/{owner}/{repo}/forks", "list_forks", route.Optional, s.handleForks),
		s.reads("/user/subscriptions", "list_own_subscriptions", route.Optional, s.handleOwnSubscriptions),
		s.reads("/users/{username}/subscriptions", "list_subscriptions", route.Optional, s.handleSubscriptions),
	}
}

// reposReply is one page of what the caller may see of a query.
func (s *Service) reposReply(r *route.Request, q forge.RepositoryQuery) (reply, error) {
	ctx, at := r.Context(), listPage(r)
	viewer, err := s.access.Viewer(ctx, identity.From(r))
	if err != nil {
		return reply{}, err
	}
	q.Viewer, q.Limit, q.Offset = viewer, at.size, at.offset()
	list, total, err := s.forge.List(ctx, q)
	if err != nil {
		return reply{}, err
	}
	out, err := s.repoObjects(r, list)
	return s.listReply(r, out, at, total), err
}

// repoObjects are repositories with what is counted about them, and what the caller may
// do with each.
func (s *Service) repoObjects(r *route.Request, list []forge.Repository) ([]objects.Repo, error) {
	ctx := r.Context()
	numbers, err := s.forge.NumbersOf(ctx, list)
	if err != nil {
		return nil, err
	}
	open, err := discussions.OpenCounts(ctx, s.world.DB, list)
	if err != nil {
		return nil, err
	}
	out := make([]objects.Repo, 0, len(list))
	for _, repo := range list {
		j := objects.NewRepo(repo, s.base(r))
		j.SetNumbers(numbers[repo.ID], open[repo.ID])
		if r.Caller != nil {
			may, err := s.forge.Access(ctx, identity.From(r), repo)
			if err != nil {
				return nil, err
			}
			permissions := objects.NewPermissions(may)
			j.Permissions = &permissions
		}
		out = append(out, j)
	}
	return out, nil
}

// choice reads a parameter that takes one of some words; the first is the default.
func choice(r *route.Request, name string, words ...string) (string, error) {
	value := r.Query().Get(name)
	if value == "" {
		return words[0], nil
	}
	if !slices.Contains(words, value) {
		return "", errInvalidField(name, "%s must be one of %s", name, strings.Join(words, ", "))
	}
	return value, nil
}

// setOrder reads sort and direction. By name the default is ascending, else the newest
// come first.
func setOrder(r *route.Request, q *forge.RepositoryQuery, standard forge.RepositoryOrder) error {
	words := []string{string(standard)}
	for _, order := range []forge.RepositoryOrder{forge.ByCreated, forge.ByUpdated, forge.ByPushed, forge.ByName} {
		if order != standard {
			words = append(words, string(order))
		}
	}
	sort, err := choice(r, "sort", words...)
	if err != nil {
		return err
	}
	q.Order = forge.RepositoryOrder(sort)
	directions := []string{"desc", "asc"}
	if q.Order == forge.ByName {
		directions = []string{"asc", "desc"}
	}
	direction, err := choice(r, "direction", directions...)
	q.Descending = direction == "desc"
	return err
}

// setKind reads the words that lists of an owner are narrowed with.
func setKind(q *forge.RepositoryQuery, kind string) {
	yes, no := true, false
	switch kind {
	case "public":
		q.Private = &no
	case "private":
		q.Private = &yes
	case "forks":
		q.Fork = &yes
	case "sources":
		q.Fork = &no
	}
}

func (s *Service) handleOwnRepos(r *route.Request) (reply, error) {
	user, err := s.access.Caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	var q forge.RepositoryQuery
	kind, err := choice(r, "type", "all", "owner", "public", "private", "member")
	if err != nil {
		return reply{}, err
	}
	visibility, err := choice(r, "visibility", "all", "public", "private")
	if err != nil {
		return reply{}, err
	}
	setKind(&q, kind)
	if visibility != "all" {
		setKind(&q, visibility)
	}
	if err := s.setAffiliation(r, &q, user.ID, kind); err != nil {
		return reply{}, err
	}
	if err := setOrder(r, &q, forge.ByName); err != nil {
		return reply{}, err
	}
	return s.reposReply(r, q)
}

// setAffiliation reads how the caller has to do with a repository.
func (s *Service) setAffiliation(r *route.Request, q *forge.RepositoryQuery, userID int64, kind string) error {
	words := []string{"owner", "collaborator", "organization_member"}
	asked := r.Query().Get("affiliation")
	switch {
	case kind == "owner":
		words = words[:1]
	case kind == "member":
		words = words[1:]
	case asked != "":
		for word := range strings.SplitSeq(asked, ",") {
			if !slices.Contains(words, strings.TrimSpace(word)) {
				return errInvalidField("affiliation", "affiliation must list some of %s", strings.Join(words, ", "))
			}
		}
		words = strings.Split(strings.ReplaceAll(asked, " ", ""), ",")
	}
	if slices.Contains(words, "owner") {
		q.OwnedBy = userID
	}
	if slices.Contains(words, "collaborator") {
		q.MemberIs = userID
	}
	if !slices.Contains(words, "organization_member") {
		return nil
	}
	orgs, err := s.identity.OrgsOf(r.Context(), userID)
	for _, m := range orgs {
		q.OwnerOrgs = append(q.OwnerOrgs, m.Org.ID)
	}
	if q.OwnedBy == 0 && q.MemberIs == 0 && len(q.OwnerOrgs) == 0 {
		q.OwnedBy = unknownUserID // in no organization: nothing, not everything
	}
	return err
}

func (s *Service) handleUserRepos(r *route.Request) (reply, error) {
	found, err := s.access.Account(r.Context(), identity.From(r), r.PathValue("username"))
	if err != nil {
		return reply{}, err
	}
	kind, err := choice(r, "type", "owner", "all", "member")
	if err != nil {
		return reply{}, err
	}
	q := forge.RepositoryQuery{Owner: found.Name()}
	if found.Kind == forge.OwnerUser && kind != "owner" {
		q = forge.RepositoryQuery{MemberIs: found.ID()}
		if kind == "all" {
			q.OwnedBy = found.ID()
		}
	}
	if err := setOrder(r, &q, forge.ByName); err != nil {
		return reply{}, err
	}
	return s.reposReply(r, q)
}

func (s *Service) handleOrgRepos(r *route.Request) (reply, error) {
	org, err := s.pathOrg(r)
	if err != nil {
		return reply{}, err
	}
	kind, err := choice(r, "type", "all", "public", "private", "forks", "sources", "member")
	if err != nil {
		return reply{}, err
	}
	q := forge.RepositoryQuery{Owner: org.Name}
	setKind(&q, kind)
	if kind == "member" {
		q.MemberIs = max(access.UserOf(identity.From(r)), unknownUserID)
	}
	if err := setOrder(r, &q, forge.ByCreated); err != nil {
		return reply{}, err
	}
	return s.reposReply(r, q)
}

func (s *Service) handleForks(r *route.Request) (reply, error) {
	repo, err := s.repositoryBelow(r, "/forks")
	if err != nil {
		return reply{}, err
	}
	sort, err := choice(r, "sort", "newest", "oldest", "stargazers", "watchers")
	if err != nil {
		return reply{}, err
	}
	q := forge.RepositoryQuery{ParentID: repo.ID, Order: forge.ByCreated, Descending: sort != "oldest"}
	if sort == "stargazers" || sort == "watchers" {
		q.Order = forge.ByStars
	}
	return s.reposReply(r, q)
}

func (s *Service) handleOwnSubscriptions(r *route.Request) (reply, error) {
	user, err := s.access.Caller(r.Context(), identity.From(r))
	if err != nil {
		return reply{}, err
	}
	return s.reposReply(r, forge.RepositoryQuery{WatchedBy: user.ID, Order: forge.ByName})
}

func (s *Service) handleSubscriptions(r *route.Request) (reply, error) {
	found, err := s.access.Account(r.Context(), identity.From(r), r.PathValue("username"))
	if err != nil {
		return reply{}, err
	}
	watcher := int64(unknownUserID)
	if found.Kind == forge.OwnerUser {
		watcher = found.ID()
	}
	return s.reposReply(r, forge.RepositoryQuery{WatchedBy: watcher, Order: forge.ByName})
}

// repositoryBelow is the repository of a path that goes on with rest.
func (s *Service) repositoryBelow(r *route.Request, rest string) (forge.Repository, error) {
	repo, _, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/repos/" + moved.FullName() + rest
	})
	return repo, err
}
