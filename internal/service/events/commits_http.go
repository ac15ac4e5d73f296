package events

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
)

func (s *Service) commitRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.readsLarge(repo+"/commits", "list_commits", s.handleCommits),
		s.readsLarge(repo+"/commits/{ref...}", "get_commit", s.handleCommit),
		s.readsLarge(repo+"/compare/{basehead...}", "compare_commits", s.handleCompare),
		s.readsLarge(repo+"/git/commits/{sha}", "get_git_commit", s.handleGitCommit),
		s.readsLarge(repo+"/contributors", "list_contributors", s.handleContributors),
	}
}

// readable is the repository of a path whose content the caller may read, and its
// addresses. Private content takes a scope of its own.
func (s *Service) readable(r *route.Request, rest string) (forge.Repository, objects.RepoAddress, error) {
	repo, err := s.repositoryBelow(r, rest)
	if err == nil {
		err = mayReadContent(r, repo)
	}
	return repo, objects.AddressOf(repo, s.base(r)), err
}

// mayReadContent refuses tokens that may see a private repository and not read it.
func mayReadContent(r *route.Request, repo forge.Repository) error {
	c := identity.From(r)
	if !repo.Private || c.HasScope(forge.ScopeContentsRead) || c.HasScope(forge.ScopeContentsWrite) {
		return nil
	}
	return errMissingPermission(permissionWord(forge.ScopeContentsRead))
}

// moment reads a time of the query; empty is the zero time.
func moment(r *route.Request, name string) (time.Time, error) {
	text := r.Query().Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, errInvalidField(name, "%s must be a time such as 2026-03-10T12:00:00Z", name)
	}
	return at, nil
}

// logQuery reads what commits are asked for.
func logQuery(r *route.Request, at pageKey) (q forge.LogQuery, err error) {
	values := r.Query()
	q = forge.LogQuery{
		Revision: values.Get("sha"), Path: strings.Trim(values.Get("path"), "/"), Author: values.Get("author"),
		Limit: at.size, Offset: at.offset(),
	}
	if strings.ContainsAny(q.Path+q.Author, "\x00\n") {
		return q, errInvalidField("path", "path and author are one line of text")
	}
	if q.Since, err = moment(r, "since"); err != nil {
		return q, err
	}
	q.Until, err = moment(r, "until")
	return q, err
}

func (s *Service) handleCommits(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/commits")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	query, err := logQuery(r, at)
	if err != nil {
		return reply{}, err
	}
	list, more, err := s.forge.Log(r.Context(), repo, query)
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	total := at.offset() + int64(len(list))
	if more {
		if total, err = s.forge.CountLog(r.Context(), repo, query); err != nil {
			return reply{}, err
		}
	}
	return s.listReply(r, address.Commits(list), at, total), nil
}

// emptyRepo tells a repository without commits from a name that it does not have.
func (s *Service) emptyRepo(repo forge.Repository, err error) error {
	if repo.PushedAt.IsZero() {
		return errEmptyRepository()
	}
	return fromForge(err)
}

func (s *Service) handleCommit(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/commits/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	c, err := s.forge.Commit(r.Context(), repo, r.PathValue("ref"))
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	from := ""
	if len(c.Parents) > 0 {
		from = c.Parents[0]
	}
	changes, err := s.forge.Diff(r.Context(), repo, from, c.SHA)
	return reply{body: address.FullCommit(c, changes)}, fromForge(err)
}

func (s *Service) handleGitCommit(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/commits/"+r.PathValue("sha"))
	if err != nil {
		return reply{}, err
	}
	c, err := s.forge.Commit(r.Context(), repo, r.PathValue("sha"))
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	return reply{body: objects.LoneCommit{
		SHA: c.SHA, NodeID: address.CommitNodeID(c.SHA), HTMLURL: address.Page + "/commit/" + c.SHA,
		GitCommit: address.GitCommit(c), Parents: address.Parents(c, "/git/commits/"),
	}}, nil
}

// maxCompared is how many commits a comparison shows that asks for no page.
const maxCompared = 250

// handleCompare relates two revisions, "base...head". Only those of one repository can
// be compared.
func (s *Service) handleCompare(r *route.Request) (reply, error) {
	names := r.PathValue("basehead")
	base, head, ok := strings.Cut(names, "...")
	repo, address, err := s.readable(r, "/compare/"+names)
	if err != nil {
		return reply{}, err
	}
	if !ok {
		return reply{}, errNotFound()
	}
	c, err := s.forge.Compare(r.Context(), repo, base, head)
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	at := pageKey{1, maxCompared}
	if r.Query().Has("page") || r.Query().Has("per_page") {
		at = listPage(r)
	}
	commits, err := s.forge.Between(r.Context(), repo, c.Base.SHA, c.Head.SHA,
		forge.LogQuery{Limit: at.size, Offset: at.offset()})
	if err != nil {
		return reply{}, fromForge(err)
	}
	changes, err := s.forge.Diff(r.Context(), repo, c.MergeBase.SHA, c.Head.SHA)
	if err != nil {
		return reply{}, fromForge(err)
	}
	out := address.Comparison(names, c, commits, changes)
	return s.listReply(r, out, at, c.Ahead), nil
}

// handleContributors lists authors as the commits name them, on request (anon=1).
// Those with an account come first elsewhere; no address is tied to one here.
func (s *Service) handleContributors(r *route.Request) (reply, error) {
	repo, _, err := s.readable(r, "/contributors")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	out := []objects.Contributor{}
	var all []forge.Contributor
	if anonymous := r.Query().Get("anon"); anonymous == "1" || anonymous == "true" {
		if all, err = s.forge.Contributors(r.Context(), repo); err != nil {
			return reply{}, fromForge(err)
		}
	}
	for _, c := range cut(all, at) {
		out = append(out, objects.Contributor{
			Type: "Anonymous", Name: c.Name, Email: c.Email, Contributions: c.Commits,
		})
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}
