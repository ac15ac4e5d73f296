package events

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) commitRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.reads(repo+"/commits", "list_commits", route.Optional, s.readCommits),
		s.reads(repo+"/commits/{ref...}", "get_commit", route.Optional, s.readCommit),
		s.reads(repo+"/compare/{basehead...}", "compare_commits", route.Optional, s.readCompare),
		s.reads(repo+"/git/commits/{sha}", "get_git_commit", route.Optional, s.readGitCommit),
		s.reads(repo+"/contributors", "list_contributors", route.Optional, s.readContributors),
	}
}

// readable is the repository of a path whose content the caller may read, and its
// addresses. Private content takes a scope of its own.
func (s *Service) readable(r *route.Request, rest string) (forge.Repository, repoAddress, error) {
	repo, err := s.repositoryBelow(r, rest)
	if err == nil {
		err = mayReadContent(r, repo)
	}
	return repo, addressOf(repo, s.base(r)), err
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

func (s *Service) readCommits(r *route.Request) (reply, error) {
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
	return s.listReply(r, address.commits(list), at, total), nil
}

// emptyRepo tells a repository without commits from a name that it does not have.
func (s *Service) emptyRepo(repo forge.Repository, err error) error {
	if repo.PushedAt.IsZero() {
		return errEmptyRepository()
	}
	return fromForge(err)
}

func (s *Service) readCommit(r *route.Request) (reply, error) {
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
	return reply{body: address.fullCommit(c, changes)}, fromForge(err)
}

type lonelyCommitJSON struct {
	SHA     string `json:"sha"`
	NodeID  string `json:"node_id"`
	HTMLURL string `json:"html_url"`
	gitCommitJSON
	Parents []parentJSON `json:"parents"`
}

func (s *Service) readGitCommit(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/commits/"+r.PathValue("sha"))
	if err != nil {
		return reply{}, err
	}
	c, err := s.forge.Commit(r.Context(), repo, r.PathValue("sha"))
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	return reply{body: lonelyCommitJSON{
		SHA: c.SHA, NodeID: "C_" + c.SHA, HTMLURL: address.page + "/commit/" + c.SHA,
		gitCommitJSON: address.gitCommit(c), Parents: address.parents(c, "/git/commits/"),
	}}, nil
}

type comparisonJSON struct {
	URL             string           `json:"url"`
	HTMLURL         string           `json:"html_url"`
	PermalinkURL    string           `json:"permalink_url"`
	BaseCommit      repoCommitJSON   `json:"base_commit"`
	MergeBaseCommit repoCommitJSON   `json:"merge_base_commit"`
	Status          string           `json:"status"`
	AheadBy         int64            `json:"ahead_by"`
	BehindBy        int64            `json:"behind_by"`
	TotalCommits    int64            `json:"total_commits"`
	Commits         []repoCommitJSON `json:"commits"`
	Files           []fileChangeJSON `json:"files"`
}

// maxCompared is how many commits a comparison shows that asks for no page.
const maxCompared = 250

// readCompare relates two revisions, "base...head". Only those of one repository can
// be compared.
func (s *Service) readCompare(r *route.Request) (reply, error) {
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
	out := comparisonJSON{
		URL: address.api + "/compare/" + escapePath(names), HTMLURL: address.page + "/compare/" + escapePath(names),
		PermalinkURL: address.page + "/compare/" + c.Base.SHA + "..." + c.Head.SHA,
		BaseCommit:   address.commit(c.Base), MergeBaseCommit: address.commit(c.MergeBase), Status: statusOf(c),
		AheadBy: c.Ahead, BehindBy: c.Behind, TotalCommits: c.Ahead,
		Commits: address.commits(commits), Files: address.files(changes, c.MergeBase.SHA, c.Head.SHA),
	}
	return s.listReply(r, out, at, c.Ahead), nil
}

func statusOf(c forge.Comparison) string {
	switch {
	case c.Ahead > 0 && c.Behind > 0:
		return "diverged"
	case c.Ahead > 0:
		return "ahead"
	case c.Behind > 0:
		return "behind"
	}
	return "identical"
}

type contributorJSON struct {
	Type          string `json:"type"`
	Name          string `json:"name"`
	Email         string `json:"email"`
	Contributions int64  `json:"contributions"`
}

// readContributors lists authors as the commits name them, on request (anon=1).
// Those with an account come first elsewhere; no address is tied to one here.
func (s *Service) readContributors(r *route.Request) (reply, error) {
	repo, _, err := s.readable(r, "/contributors")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	out := []contributorJSON{}
	var all []forge.Contributor
	if anonymous := r.Query().Get("anon"); anonymous == "1" || anonymous == "true" {
		if all, err = s.forge.Contributors(r.Context(), repo); err != nil {
			return reply{}, fromForge(err)
		}
	}
	for _, c := range cut(all, at) {
		out = append(out, contributorJSON{"Anonymous", c.Name, c.Email, c.Commits})
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}
