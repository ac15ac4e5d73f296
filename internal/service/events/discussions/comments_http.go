package discussions

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type bodyRequest struct {
	Body string `json:"body"`
}

type commitCommentRequest struct {
	Body     string `json:"body"`
	Path     string `json:"path"`
	Position int64  `json:"position"`
	Line     int64  `json:"line"`
}

// about is what a kind of comments is: its scopes and its object.
type about struct {
	kind        commentKind
	read, write string
	object      func(view, Comment) any
}

func aboutIssues() about {
	return about{onIssue, ScopeIssuesRead, ScopeIssuesWrite, func(v view, c Comment) any { return v.comment(c) }}
}

func aboutLines() about {
	return about{onReview, ScopePullsRead, ScopePullsWrite, func(v view, c Comment) any { return v.lineComment(c) }}
}

// aboutCommits takes the scopes of the content.
func aboutCommits() about {
	return about{
		onCommit, forge.ScopeContentsRead, forge.ScopeContentsWrite,
		func(v view, c Comment) any { return v.commitComment(c) },
	}
}

// list answers with a page of comments.
func (d *Discussions) list(r *route.Request, s operation.Subject, a about, f commentQuery) (result, error) {
	var err error
	if f.since, err = since(r); err != nil {
		return result{}, err
	}
	f.repoID, f.kind, f.newest = s.Repo.ID, a.kind, r.Query().Get("direction") == "desc"
	at := d.host.Page(r)
	list, total, err := listComments(r.Context(), d.host.DB, f, at.Size, at.Offset)
	out := []any{}
	for _, c := range list {
		out = append(out, a.object(viewOf(s), c))
	}
	return operation.ListOf(out, total), err
}

// all answers with all comments of a kind in a repository.
func (d *Discussions) all(r *route.Request, a about) (result, error) {
	s, err := d.host.Reading(r, a.read, a.write)
	if err != nil {
		return result{}, err
	}
	return d.list(r, s, a, commentQuery{})
}

// one answers with a comment.
func (d *Discussions) one(r *route.Request, a about) (result, error) {
	s, err := d.host.Reading(r, a.read, a.write)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	c, err := commentByID(r.Context(), d.host.DB, s.Repo.ID, a.kind, id)
	return operation.OK(a.object(viewOf(s), c)), found(err)
}

// change gives a comment another text.
func (d *Discussions) change(r *route.Request, a about, body string) (result, error) {
	s, err := d.host.Changing(r, forge.Read, a.write)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	c, err := d.editComment(r.Context(), s, a.kind, id, body)
	return operation.OK(a.object(viewOf(s), c)), err
}

// remove deletes a comment.
func (d *Discussions) remove(r *route.Request, a about) (result, error) {
	s, err := d.host.Changing(r, forge.Read, a.write)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	return operation.Empty(), d.deleteComment(r.Context(), s, a.kind, id)
}

func (d *Discussions) handleAllComments(r *route.Request) (result, error) {
	return d.all(r, aboutIssues())
}

func (d *Discussions) handleComment(r *route.Request) (result, error) { return d.one(r, aboutIssues()) }

func (d *Discussions) handleUpdateComment(r *route.Request) (result, error) {
	var in bodyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	return d.change(r, aboutIssues(), in.Body)
}

func (d *Discussions) handleDeleteComment(r *route.Request) (result, error) {
	return d.remove(r, aboutIssues())
}

// handleComments lists the comments of an issue or a pull request.
func (d *Discussions) handleComments(r *route.Request) (result, error) {
	s, number, err := d.readingNumber(r)
	if err != nil {
		return result{}, err
	}
	if _, err := d.issue(r.Context(), s, number); err != nil {
		return result{}, err
	}
	return d.list(r, s, aboutIssues(), commentQuery{number: number})
}

func (d *Discussions) handleCreateComment(r *route.Request) (result, error) {
	var in bodyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Read, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	c, err := d.comment(r.Context(), s, number, in.Body)
	out := viewOf(s).comment(c)
	return operation.Created(out, out.URL), err
}

func (d *Discussions) handleAllCommitComments(r *route.Request) (result, error) {
	return d.all(r, aboutCommits())
}

func (d *Discussions) handleCommitComment(r *route.Request) (result, error) {
	return d.one(r, aboutCommits())
}

func (d *Discussions) handleUpdateCommitComment(r *route.Request) (result, error) {
	var in bodyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	return d.change(r, aboutCommits(), in.Body)
}

func (d *Discussions) handleDeleteCommitComment(r *route.Request) (result, error) {
	return d.remove(r, aboutCommits())
}

// handleCommitComments lists the comments of a commit.
func (d *Discussions) handleCommitComments(r *route.Request) (result, error) {
	a := aboutCommits()
	s, err := d.host.Reading(r, a.read, a.write)
	if err != nil {
		return result{}, err
	}
	sha, err := d.host.Forge.Resolve(r.Context(), s.Repo, r.PathValue("ref"))
	if err != nil {
		return result{}, refusal.FromForge(err)
	}
	return d.list(r, s, a, commentQuery{commitID: sha})
}

// handleCreateCommitComment comments on a commit, for callers who may read it.
func (d *Discussions) handleCreateCommitComment(r *route.Request) (result, error) {
	var in commitCommentRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, err := d.host.Changing(r, forge.Read, forge.ScopeContentsWrite)
	if err != nil {
		return result{}, err
	}
	sha, err := d.host.Forge.Resolve(r.Context(), s.Repo, r.PathValue("ref"))
	if err != nil {
		return result{}, refusal.FromForge(err)
	}
	c := d.newComment(s, onCommit, in.Body)
	c.CommitID, c.Path, c.Line, c.Position = sha, in.Path, in.Line, in.Position
	if c, err = d.commentOnCommit(r.Context(), s, c); err != nil {
		return result{}, err
	}
	out := viewOf(s).commitComment(c)
	return operation.Created(out, out.URL), nil
}
