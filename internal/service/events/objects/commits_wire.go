package objects

import "stoa.dev/stoa/internal/forge"

// Signature is an author or committer as the commit names them.
type Signature struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Date  string `json:"date"`
}

// NewSignature is a signature as git reads it.
func NewSignature(s forge.Signature) Signature {
	return Signature{s.Name, s.Email, Stamp(s.At)}
}

// Object is what is named by its object name.
type Object struct {
	SHA  string `json:"sha"`
	Type string `json:"type,omitempty"`
	URL  string `json:"url"`
}

// Parent is a commit before another.
type Parent struct {
	SHA     string `json:"sha"`
	URL     string `json:"url"`
	HTMLURL string `json:"html_url"`
}

// Verification says that signatures are not looked at here.
type Verification struct {
	Verified   bool    `json:"verified"`
	Reason     string  `json:"reason"`
	Signature  *string `json:"signature"`
	Payload    *string `json:"payload"`
	VerifiedAt *string `json:"verified_at"`
}

// Unverified is what every commit and tag says.
func Unverified() Verification { return Verification{Reason: "gpgverify_unavailable"} }

// GitCommit is what git knows of a commit.
type GitCommit struct {
	Author       Signature    `json:"author"`
	Committer    Signature    `json:"committer"`
	Message      string       `json:"message"`
	Tree         Object       `json:"tree"`
	URL          string       `json:"url"`
	CommentCount int64        `json:"comment_count"`
	Verification Verification `json:"verification"`
}

// Commit is a commit in lists. Author and committer are null: addresses in
// commits are anybody's claim, and accounts do not prove theirs.
type Commit struct {
	SHA         string    `json:"sha"`
	NodeID      string    `json:"node_id"`
	Commit      GitCommit `json:"commit"`
	URL         string    `json:"url"`
	HTMLURL     string    `json:"html_url"`
	CommentsURL string    `json:"comments_url"`
	Author      *User     `json:"author"`
	Committer   *User     `json:"committer"`
	Parents     []Parent  `json:"parents"`
}

// CommitStats counts changed lines.
type CommitStats struct {
	Total     int64 `json:"total"`
	Additions int64 `json:"additions"`
	Deletions int64 `json:"deletions"`
}

// FileChange is what a commit does to a file.
type FileChange struct {
	SHA              string `json:"sha"`
	Filename         string `json:"filename"`
	Status           string `json:"status"`
	Additions        int64  `json:"additions"`
	Deletions        int64  `json:"deletions"`
	Changes          int64  `json:"changes"`
	BlobURL          string `json:"blob_url"`
	RawURL           string `json:"raw_url"`
	ContentsURL      string `json:"contents_url"`
	Patch            string `json:"patch,omitempty"`
	PreviousFilename string `json:"previous_filename,omitempty"`
}

// FullCommit is a commit alone, with what it changes.
type FullCommit struct {
	Commit
	Stats CommitStats  `json:"stats"`
	Files []FileChange `json:"files"`
}

// Parents are those of a commit, addressed below folder.
func (a RepoAddress) Parents(c forge.Commit, folder string) []Parent {
	out := make([]Parent, 0, len(c.Parents))
	for _, sha := range c.Parents {
		out = append(out, Parent{SHA: sha, URL: a.API + folder + sha, HTMLURL: a.Page + "/commit/" + sha})
	}
	return out
}

// GitCommit is the inner part of a commit.
func (a RepoAddress) GitCommit(c forge.Commit) GitCommit {
	return GitCommit{
		Author: NewSignature(c.Author), Committer: NewSignature(c.Committer), Message: c.Message,
		Tree: a.Tree(c.Tree), URL: a.API + "/git/commits/" + c.SHA, Verification: Unverified(),
	}
}

// Commit is a commit in lists.
func (a RepoAddress) Commit(c forge.Commit) Commit {
	url := a.API + "/commits/" + c.SHA
	return Commit{
		SHA: c.SHA, NodeID: a.CommitNodeID(c.SHA), Commit: a.GitCommit(c), URL: url, HTMLURL: a.Page + "/commit/" + c.SHA,
		CommentsURL: url + "/comments", Parents: a.Parents(c, "/commits/"),
	}
}

// Commits are commits in their order.
func (a RepoAddress) Commits(list []forge.Commit) []Commit {
	out := make([]Commit, 0, len(list))
	for _, c := range list {
		out = append(out, a.Commit(c))
	}
	return out
}

// Files are the changes that lead to the commit sha; removed files are shown as they
// were before, in the commit from.
func (a RepoAddress) Files(list []forge.FileChange, from, sha string) []FileChange {
	out := make([]FileChange, 0, len(list))
	for _, f := range list {
		at := sha
		if f.Status == "removed" {
			at = from
		}
		out = append(out, FileChange{
			SHA: f.SHA, Filename: f.Path, Status: f.Status, Additions: f.Additions, Deletions: f.Deletions,
			Changes: f.Additions + f.Deletions, BlobURL: a.Page + "/blob/" + at + "/" + EscapePath(f.Path),
			RawURL: a.Raw(at, f.Path), ContentsURL: a.Contents(f.Path, at), Patch: f.Patch,
			PreviousFilename: f.PreviousPath,
		})
	}
	return out
}

// FullCommit is a commit with its changes.
func (a RepoAddress) FullCommit(c forge.Commit, changes []forge.FileChange) FullCommit {
	from := ""
	if len(c.Parents) > 0 {
		from = c.Parents[0]
	}
	out := FullCommit{Commit: a.Commit(c), Files: a.Files(changes, from, c.SHA)}
	for _, f := range changes {
		out.Stats.Additions += f.Additions
		out.Stats.Deletions += f.Deletions
	}
	out.Stats.Total = out.Stats.Additions + out.Stats.Deletions
	return out
}

// LoneCommit is a commit among git's own objects.
type LoneCommit struct {
	SHA     string `json:"sha"`
	NodeID  string `json:"node_id"`
	HTMLURL string `json:"html_url"`
	GitCommit
	Parents []Parent `json:"parents"`
}

// Comparison is how two revisions relate.
type Comparison struct {
	URL             string       `json:"url"`
	HTMLURL         string       `json:"html_url"`
	PermalinkURL    string       `json:"permalink_url"`
	BaseCommit      Commit       `json:"base_commit"`
	MergeBaseCommit Commit       `json:"merge_base_commit"`
	Status          string       `json:"status"`
	AheadBy         int64        `json:"ahead_by"`
	BehindBy        int64        `json:"behind_by"`
	TotalCommits    int64        `json:"total_commits"`
	Commits         []Commit     `json:"commits"`
	Files           []FileChange `json:"files"`
}

// Contributor is an author without an account.
type Contributor struct {
	Type          string `json:"type"`
	Name          string `json:"name"`
	Email         string `json:"email"`
	Contributions int64  `json:"contributions"`
}

// Comparison is the object of a comparison that was asked for as names.
func (a RepoAddress) Comparison(
	names string, c forge.Comparison, commits []forge.Commit, changes []forge.FileChange,
) Comparison {
	rest := "/compare/" + EscapePath(names)
	return Comparison{
		URL: a.API + rest, HTMLURL: a.Page + rest,
		PermalinkURL: a.Page + "/compare/" + c.Base.SHA + "..." + c.Head.SHA,
		BaseCommit:   a.Commit(c.Base), MergeBaseCommit: a.Commit(c.MergeBase), Status: statusOf(c),
		AheadBy: c.Ahead, BehindBy: c.Behind, TotalCommits: c.Ahead,
		Commits: a.Commits(commits), Files: a.Files(changes, c.MergeBase.SHA, c.Head.SHA),
	}
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
