package events

import (
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/forge"
)

type signatureJSON struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Date  string `json:"date"`
}

func signatureToWire(s forge.Signature) signatureJSON {
	return signatureJSON{s.Name, s.Email, stamp(s.At)}
}

type objectJSON struct {
	SHA  string `json:"sha"`
	Type string `json:"type,omitempty"`
	URL  string `json:"url"`
}

type parentJSON struct {
	SHA     string `json:"sha"`
	URL     string `json:"url"`
	HTMLURL string `json:"html_url"`
}

// verificationJSON says that signatures are not looked at here.
type verificationJSON struct {
	Verified   bool    `json:"verified"`
	Reason     string  `json:"reason"`
	Signature  *string `json:"signature"`
	Payload    *string `json:"payload"`
	VerifiedAt *string `json:"verified_at"`
}

func unverified() verificationJSON { return verificationJSON{Reason: "gpgverify_unavailable"} }

type gitCommitJSON struct {
	Author       signatureJSON    `json:"author"`
	Committer    signatureJSON    `json:"committer"`
	Message      string           `json:"message"`
	Tree         objectJSON       `json:"tree"`
	URL          string           `json:"url"`
	CommentCount int64            `json:"comment_count"`
	Verification verificationJSON `json:"verification"`
}

// repoCommitJSON is a commit in lists. Author and committer are null: addresses in
// commits are anybody's claim, and accounts do not prove theirs.
type repoCommitJSON struct {
	SHA         string        `json:"sha"`
	NodeID      string        `json:"node_id"`
	Commit      gitCommitJSON `json:"commit"`
	URL         string        `json:"url"`
	HTMLURL     string        `json:"html_url"`
	CommentsURL string        `json:"comments_url"`
	Author      *userJSON     `json:"author"`
	Committer   *userJSON     `json:"committer"`
	Parents     []parentJSON  `json:"parents"`
}

type commitStatsJSON struct {
	Total     int64 `json:"total"`
	Additions int64 `json:"additions"`
	Deletions int64 `json:"deletions"`
}

type fileChangeJSON struct {
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

type fullCommitJSON struct {
	repoCommitJSON
	Stats commitStatsJSON  `json:"stats"`
	Files []fileChangeJSON `json:"files"`
}

// repoAddress builds the addresses of one repository's content.
type repoAddress struct {
	// api and page are where its operations and its pages are.
	api, page string
	base      string
	name      string
}

func addressOf(r forge.Repository, base string) repoAddress {
	return repoAddress{
		api: base + "/repos/" + r.FullName(), page: pages(base) + "/" + r.FullName(), base: base, name: r.FullName(),
	}
}

// escapePath escapes a file's path and keeps its slashes.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

func (a repoAddress) raw(sha, path string) string {
	return a.base + "/raw/" + a.name + "/" + sha + "/" + escapePath(path)
}

func (a repoAddress) contents(path, ref string) string {
	return a.api + "/contents/" + escapePath(path) + "?ref=" + url.QueryEscape(ref)
}

func (a repoAddress) tree(sha string) objectJSON {
	return objectJSON{SHA: sha, URL: a.api + "/git/trees/" + sha}
}

func (a repoAddress) parents(c forge.Commit, folder string) []parentJSON {
	out := make([]parentJSON, 0, len(c.Parents))
	for _, sha := range c.Parents {
		out = append(out, parentJSON{SHA: sha, URL: a.api + folder + sha, HTMLURL: a.page + "/commit/" + sha})
	}
	return out
}

func (a repoAddress) gitCommit(c forge.Commit) gitCommitJSON {
	return gitCommitJSON{
		Author: signatureToWire(c.Author), Committer: signatureToWire(c.Committer), Message: c.Message,
		Tree: a.tree(c.Tree), URL: a.api + "/git/commits/" + c.SHA, Verification: unverified(),
	}
}

func (a repoAddress) commit(c forge.Commit) repoCommitJSON {
	url := a.api + "/commits/" + c.SHA
	return repoCommitJSON{
		SHA: c.SHA, NodeID: "C_" + c.SHA, Commit: a.gitCommit(c), URL: url, HTMLURL: a.page + "/commit/" + c.SHA,
		CommentsURL: url + "/comments", Parents: a.parents(c, "/commits/"),
	}
}

func (a repoAddress) commits(list []forge.Commit) []repoCommitJSON {
	out := make([]repoCommitJSON, 0, len(list))
	for _, c := range list {
		out = append(out, a.commit(c))
	}
	return out
}

// files are the changes that lead to the commit sha; removed files are shown as they
// were before, in the commit from.
func (a repoAddress) files(list []forge.FileChange, from, sha string) []fileChangeJSON {
	out := make([]fileChangeJSON, 0, len(list))
	for _, f := range list {
		at := sha
		if f.Status == "removed" {
			at = from
		}
		out = append(out, fileChangeJSON{
			SHA: f.SHA, Filename: f.Path, Status: f.Status, Additions: f.Additions, Deletions: f.Deletions,
			Changes: f.Additions + f.Deletions, BlobURL: a.page + "/blob/" + at + "/" + escapePath(f.Path),
			RawURL: a.raw(at, f.Path), ContentsURL: a.contents(f.Path, at), Patch: f.Patch,
			PreviousFilename: f.PreviousPath,
		})
	}
	return out
}

func (a repoAddress) fullCommit(c forge.Commit, changes []forge.FileChange) fullCommitJSON {
	from := ""
	if len(c.Parents) > 0 {
		from = c.Parents[0]
	}
	out := fullCommitJSON{repoCommitJSON: a.commit(c), Files: a.files(changes, from, c.SHA)}
	for _, f := range changes {
		out.Stats.Additions += f.Additions
		out.Stats.Deletions += f.Deletions
	}
	out.Stats.Total = out.Stats.Additions + out.Stats.Deletions
	return out
}
