package discussions

import (
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/objects"
)

type branchJSON struct {
	Label string        `json:"label"`
	Ref   string        `json:"ref"`
	SHA   string        `json:"sha"`
	User  objects.User  `json:"user"`
	Repo  *objects.Repo `json:"repo"`
}

type linkJSON struct {
	HREF string `json:"href"`
}

type pullLinksJSON struct {
	Self           linkJSON `json:"self"`
	HTML           linkJSON `json:"html"`
	Issue          linkJSON `json:"issue"`
	Comments       linkJSON `json:"comments"`
	ReviewComments linkJSON `json:"review_comments"`
	ReviewComment  linkJSON `json:"review_comment"`
	Commits        linkJSON `json:"commits"`
	Statuses       linkJSON `json:"statuses"`
}

type pullJSON struct {
	URL      string       `json:"url"`
	ID       int64        `json:"id"`
	NodeID   string       `json:"node_id"`
	HTMLURL  string       `json:"html_url"`
	DiffURL  string       `json:"diff_url"`
	PatchURL string       `json:"patch_url"`
	IssueURL string       `json:"issue_url"`
	Number   int64        `json:"number"`
	State    State        `json:"state"`
	Locked   bool         `json:"locked"`
	Title    string       `json:"title"`
	User     objects.User `json:"user"`
	Body     *string      `json:"body"`
	assigned
	RequestedReviewers []objects.User `json:"requested_reviewers"`
	RequestedTeams     []struct{}     `json:"requested_teams"`
	Labels             []labelJSON    `json:"labels"`
	Milestone          *struct{}      `json:"milestone"`
	Draft              bool           `json:"draft"`
	CreatedAt          string         `json:"created_at"`
	UpdatedAt          string         `json:"updated_at"`
	ClosedAt           *string        `json:"closed_at"`
	MergedAt           *string        `json:"merged_at"`
	// MergeCommitSHA is gone from the later version.
	MergeCommitSHA    **string      `json:"merge_commit_sha,omitempty"`
	CommitsURL        string        `json:"commits_url"`
	ReviewCommentsURL string        `json:"review_comments_url"`
	ReviewCommentURL  string        `json:"review_comment_url"`
	CommentsURL       string        `json:"comments_url"`
	StatusesURL       string        `json:"statuses_url"`
	Head              branchJSON    `json:"head"`
	Base              branchJSON    `json:"base"`
	Links             pullLinksJSON `json:"_links"`
	AuthorAssociation string        `json:"author_association"`
	AutoMerge         *struct{}     `json:"auto_merge"`
	ActiveLockReason  *string       `json:"active_lock_reason"`
}

// fullPullJSON is a pull request alone.
type fullPullJSON struct {
	pullJSON
	Merged              bool          `json:"merged"`
	Mergeable           *bool         `json:"mergeable"`
	Rebaseable          bool          `json:"rebaseable"`
	MergeableState      string        `json:"mergeable_state"`
	MergedBy            *objects.User `json:"merged_by"`
	Comments            int64         `json:"comments"`
	ReviewComments      int64         `json:"review_comments"`
	MaintainerCanModify bool          `json:"maintainer_can_modify"`
	Commits             int64         `json:"commits"`
	Additions           int64         `json:"additions"`
	Deletions           int64         `json:"deletions"`
	ChangedFiles        int64         `json:"changed_files"`
}

// pull is the object of a pull request in lists.
func (v view) pull(i Issue, labels []Label, r forge.Repository) pullJSON {
	p, number := i.Pull, decimal(i.Number)
	at, issue := v.url()+"/pulls/"+number, v.url()+"/issues/"+number
	out := pullJSON{
		URL: at, ID: i.ID, NodeID: objects.NodeID("PullRequest", i.ID), HTMLURL: v.page() + "/pull/" + number,
		DiffURL: at + ".diff", PatchURL: at + ".patch", IssueURL: issue, Number: i.Number, State: i.State, Title: i.Title,
		User: actorUser(i.Author, v.base), Body: objects.OrNull(i.Body), assigned: v.assigned(i.Assignees),
		RequestedReviewers: []objects.User{}, RequestedTeams: []struct{}{}, Labels: v.labels(labels), Draft: p.Draft,
		CreatedAt: objects.Stamp(i.CreatedAt), UpdatedAt: objects.Stamp(i.UpdatedAt), ClosedAt: stamp(i.ClosedAt),
		MergedAt: stamp(p.MergedAt), CommitsURL: at + "/commits", ReviewCommentsURL: at + "/comments",
		ReviewCommentURL: v.url() + "/pulls/comments{/number}", CommentsURL: issue + "/comments",
		StatusesURL: v.url() + "/statuses/" + p.HeadSHA, AuthorAssociation: i.Association,
		Head: v.branch(r, p.HeadRef, p.HeadSHA), Base: v.branch(r, p.BaseRef, p.BaseSHA),
	}
	if !v.later {
		sha := objects.OrNull(p.MergeSHA)
		out.MergeCommitSHA = &sha
	}
	out.Links = pullLinksJSON{
		linkJSON{at}, linkJSON{out.HTMLURL}, linkJSON{issue}, linkJSON{out.CommentsURL}, linkJSON{out.ReviewCommentsURL},
		linkJSON{out.ReviewCommentURL}, linkJSON{out.CommitsURL}, linkJSON{out.StatusesURL},
	}
	return out
}

func (v view) branch(r forge.Repository, ref, sha string) branchJSON {
	repo := objects.NewRepo(r, v.base)
	return branchJSON{
		Label: r.Owner.Name + ":" + ref, Ref: ref, SHA: sha, User: objects.NewOwner(r.Owner, v.base), Repo: &repo,
	}
}

// fullPull adds what takes a look at the content.
func (v view) fullPull(
	i Issue, labels []Label, r forge.Repository, c forge.Comparison, files []forge.FileChange,
) fullPullJSON {
	out := fullPullJSON{
		pullJSON: v.pull(i, labels, r), Merged: i.Pull.MergedAt != nil, MergeableState: "unknown",
		Comments: i.Comments, ReviewComments: i.Pull.ReviewComments, Commits: c.Ahead, ChangedFiles: int64(len(files)),
	}
	for _, f := range files {
		out.Additions += f.Additions
		out.Deletions += f.Deletions
	}
	if i.Pull.MergedBy != nil {
		by := actorUser(*i.Pull.MergedBy, v.base)
		out.MergedBy = &by
	}
	return out
}

// diffText is a difference as git prints it, as far as it is kept.
func diffText(files []forge.FileChange) []byte {
	var b strings.Builder
	for _, f := range files {
		from := f.Path
		if f.PreviousPath != "" {
			from = f.PreviousPath
		}
		b.WriteString("diff --git a/" + from + " b/" + f.Path + "\n")
		old, now := "a/"+from, "b/"+f.Path
		switch f.Status {
		case "added":
			old = "/dev/null"
		case "removed":
			now = "/dev/null"
		}
		if f.Patch != "" {
			b.WriteString("--- " + old + "\n+++ " + now + "\n" + f.Patch + "\n")
		}
	}
	return []byte(b.String())
}
