package discussions

import (
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type pullRequest struct {
	Title *string `json:"title"`
	Body  *string `json:"body"`
	State *State  `json:"state"`
	Base  *string `json:"base"`
	Head  string  `json:"head"`
	Draft bool    `json:"draft"`
	Issue *int64  `json:"issue"`
}

type mergePullRequest struct {
	CommitTitle   string `json:"commit_title"`
	CommitMessage string `json:"commit_message"`
	SHA           string `json:"sha"`
	MergeMethod   string `json:"merge_method"`
}

type mergedJSON struct {
	SHA     string `json:"sha"`
	Merged  bool   `json:"merged"`
	Message string `json:"message"`
}

func (d *Discussions) readingPulls(r *route.Request) (operation.Subject, error) {
	return d.host.Reading(r, ScopePullsRead, ScopePullsWrite)
}

// readingPull is the subject and the pull request of an operation on one.
func (d *Discussions) readingPull(r *route.Request) (s operation.Subject, issue Issue, err error) {
	if s, err = d.readingPulls(r); err != nil {
		return s, issue, err
	}
	number, err := operation.Number(r, "number")
	if err != nil {
		return s, issue, err
	}
	issue, err = d.pull(r.Context(), s, number)
	return s, issue, err
}

// handlePulls lists pull requests.
func (d *Discussions) handlePulls(r *route.Request) (result, error) {
	s, err := d.readingPulls(r)
	if err != nil {
		return result{}, err
	}
	f, err := readQuery(r, s.Repo.ID)
	if err != nil {
		return result{}, err
	}
	q := r.Query()
	f.pulls, f.base, f.head = true, q.Get("base"), q.Get("head")
	if _, branch, ok := strings.Cut(f.head, ":"); ok {
		f.head = branch
	}
	at := d.host.Page(r)
	list, total, err := listIssues(r.Context(), d.host.DB, f, at.Size, at.Offset)
	if err != nil {
		return result{}, err
	}
	labels, err := labelsOf(r.Context(), d.host.DB, s.Repo.ID)
	out := []pullJSON{}
	for _, i := range list {
		if err := d.refresh(r.Context(), s.Repo, &i); err != nil {
			return result{}, err
		}
		out = append(out, viewOf(s).pull(i, chosen(labels, i.Labels), s.Repo))
	}
	return operation.ListOf(out, total), err
}

// fullPull looks at the content of a pull request. Commits that are gone, and a difference
// that is too large for git to show, leave numbers at zero.
func (d *Discussions) fullPull(r *route.Request, s operation.Subject, i Issue) (fullPullJSON, error) {
	ctx := r.Context()
	labels, err := labelsOf(ctx, d.host.DB, s.Repo.ID)
	if err != nil {
		return fullPullJSON{}, err
	}
	c, files, err := d.difference(r, s, i)
	if err != nil && !errors.Is(err, forge.ErrTooLarge) {
		return fullPullJSON{}, refusal.FromForge(err)
	}
	out := viewOf(s).fullPull(i, chosen(labels, i.Labels), s.Repo, c, files)
	if i.State != Open {
		return out, nil
	}
	ok, err := d.host.Forge.Mergeable(ctx, s.Repo, i.Pull.BaseSHA, i.Pull.HeadSHA)
	if out.Mergeable, out.MergeableState = &ok, "dirty"; ok {
		out.MergeableState = "clean"
	}
	return out, refusal.FromForge(err)
}

// difference is what a pull request changes. The error is the forge's.
func (d *Discussions) difference(
	r *route.Request, s operation.Subject, i Issue,
) (c forge.Comparison, files []forge.FileChange, err error) {
	if c, err = d.changes(r.Context(), s, *i.Pull); err != nil {
		return c, nil, err
	}
	files, err = d.host.Forge.Diff(r.Context(), s.Repo, c.MergeBase.SHA, i.Pull.HeadSHA)
	return c, files, err
}

// handleCreatePull opens a pull request between two branches.
func (d *Discussions) handleCreatePull(r *route.Request) (result, error) {
	var in pullRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, err := d.host.Changing(r, forge.Read, ScopePullsWrite)
	if err != nil {
		return result{}, err
	}
	switch {
	case in.Issue != nil:
		return result{}, refusal.Invalid("issue", "an issue cannot become a pull request here")
	case in.Title == nil:
		return result{}, refusal.Invalid("title", "title must not be empty")
	case in.Base == nil:
		return result{}, refusal.Invalid("base", "base must be the name of a branch")
	}
	p, err := d.newPull(r.Context(), s, *in.Base, in.Head)
	if err != nil {
		return result{}, err
	}
	p.Draft = in.Draft
	issue, err := d.create(r.Context(), s, change{title: in.Title, body: in.Body}, &p)
	if err != nil {
		return result{}, err
	}
	out, err := d.fullPull(r, s, issue)
	return operation.Created(out, out.URL), err
}

// handlePull answers with a pull request, or with its difference when the address ends
// in .diff or .patch, or the request accepts a media type that does.
func (d *Discussions) handlePull(r *route.Request) (result, error) {
	number, text := strings.CutSuffix(strings.TrimSuffix(r.PathValue("number"), ".patch"), ".diff")
	text = text || strings.HasSuffix(r.PathValue("number"), ".patch") || acceptsDiff(r.Header.Get("Accept"))
	r.SetPathValue("number", number)
	s, issue, err := d.readingPull(r)
	if err != nil {
		return result{}, err
	}
	if text {
		_, files, err := d.difference(r, s, issue)
		return result{Raw: diffText(files)}, refusal.FromForge(err)
	}
	out, err := d.fullPull(r, s, issue)
	return operation.OK(out), err
}

// acceptsDiff reads a media type such as application/vnd.vendor.v3.diff.
func acceptsDiff(accept string) bool {
	media, _, _ := strings.Cut(accept, ";")
	media = strings.TrimSpace(media)
	return strings.HasPrefix(media, "application/vnd.") &&
		(strings.HasSuffix(media, ".diff") || strings.HasSuffix(media, ".patch"))
}

// handleUpdatePull changes a pull request, closes or opens it.
func (d *Discussions) handleUpdatePull(r *route.Request) (result, error) {
	var in pullRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Read, ScopePullsWrite)
	if err != nil {
		return result{}, err
	}
	before, err := d.pull(r.Context(), s, number)
	if err != nil {
		return result{}, err
	}
	c := change{title: in.Title, body: in.Body, state: in.State, at: before.Pull}
	if in.Base != nil {
		p, err := d.newPull(r.Context(), s, *in.Base, before.Pull.HeadRef)
		if err != nil {
			return result{}, err
		}
		c.base, c.at = &p.BaseRef, &p
	}
	issue, err := d.edit(r.Context(), s, number, c)
	if err != nil {
		return result{}, err
	}
	out, err := d.fullPull(r, s, issue)
	return operation.OK(out), err
}

func (d *Discussions) handlePullCommits(r *route.Request) (result, error) {
	s, issue, err := d.readingPull(r)
	if err != nil {
		return result{}, err
	}
	c, err := d.changes(r.Context(), s, *issue.Pull)
	if err != nil {
		return result{}, err
	}
	at := d.host.Page(r)
	list, err := d.host.Forge.Between(r.Context(), s.Repo, c.MergeBase.SHA, c.Head.SHA,
		forge.LogQuery{Limit: at.Size, Offset: at.Offset})
	out := objects.AddressOf(s.Repo, s.Base).Commits(list)
	return operation.ListOf(out, c.Ahead), refusal.FromForge(err)
}

func (d *Discussions) handlePullFiles(r *route.Request) (result, error) {
	s, issue, err := d.readingPull(r)
	if err != nil {
		return result{}, err
	}
	c, files, err := d.difference(r, s, issue)
	if err != nil {
		return result{}, refusal.FromForge(err)
	}
	at := d.host.Page(r)
	from := min(at.Offset, int64(len(files)))
	part := files[from:min(from+int64(at.Size), int64(len(files)))]
	out := objects.AddressOf(s.Repo, s.Base).Files(part, c.MergeBase.SHA, issue.Pull.HeadSHA)
	return operation.ListOf(out, int64(len(files))), nil
}

// handleMerged is 204 for a merged pull request, else 404.
func (d *Discussions) handleMerged(r *route.Request) (result, error) {
	_, issue, err := d.readingPull(r)
	if err == nil && issue.Pull.MergedAt == nil {
		err = refusal.NotFound()
	}
	return operation.Empty(), err
}

// handleMerge merges a pull request with a commit.
func (d *Discussions) handleMerge(r *route.Request) (result, error) {
	var in mergePullRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return result{}, err
	}
	s, number, err := d.changingNumber(r, forge.Write, forge.ScopeContentsWrite)
	if err != nil {
		return result{}, err
	}
	issue, err := d.merge(r.Context(), s, number, mergeRequest{
		title: in.CommitTitle, message: in.CommitMessage, sha: in.SHA, method: in.MergeMethod,
	})
	if err != nil {
		return result{}, err
	}
	return operation.OK(mergedJSON{issue.Pull.MergeSHA, true, "Pull Request successfully merged"}), nil
}
