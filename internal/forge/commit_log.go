package forge

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
)

// LogQuery asks for commits.
type LogQuery struct {
	// Revision is where to begin; empty means the default branch.
	Revision string
	// Path keeps commits that changed a file or folder.
	Path string
	// Author is a part of the author's name or address.
	Author       string
	Since, Until time.Time
	Limit        int
	Offset       int64
}

// Log lists commits, the newest first. more says that there are further ones.
func (f *Forge) Log(ctx context.Context, r Repository, q LogQuery) (list []Commit, more bool, err error) {
	sha, err := f.Resolve(ctx, r, orDefault(q.Revision, r))
	if err != nil {
		return nil, false, err
	}
	args := append([]string{
		"log", "-z", "--no-show-signature", "--encoding=UTF-8", "--format=" + gitoutput.CommitForm,
		"--max-count=" + strconv.Itoa(q.Limit+1), "--skip=" + strconv.FormatInt(q.Offset, 10),
	}, q.filter(sha)...)
	var out *gitoutput.Commits
	err = f.git.Query(ctx, r.git(), func(s git.Slot) error {
		out = &gitoutput.Commits{}
		return git.Run(ctx, f.git.Command(ctx, s, f.git.Path(r.folder), args...), "log", out)
	})
	if err != nil {
		return nil, false, fromGit(err)
	}
	list = out.List()
	return list[:min(len(list), q.Limit)], len(list) > q.Limit, nil
}

// CountLog is how many commits a Log without a limit lists.
func (f *Forge) CountLog(ctx context.Context, r Repository, q LogQuery) (int64, error) {
	sha, err := f.Resolve(ctx, r, orDefault(q.Revision, r))
	if err != nil {
		return 0, err
	}
	out, err := f.output(ctx, r, "", append([]string{"rev-list", "--count"}, q.filter(sha)...)...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// filter are the arguments that choose commits. The path is taken as it is, without
// patterns.
func (q LogQuery) filter(sha string) []string {
	args := []string{"--fixed-strings", "--regexp-ignore-case"}
	if q.Author != "" {
		args = append(args, "--author="+q.Author)
	}
	if !q.Since.IsZero() {
		args = append(args, "--since="+q.Since.UTC().Format(time.RFC3339))
	}
	if !q.Until.IsZero() {
		args = append(args, "--until="+q.Until.UTC().Format(time.RFC3339))
	}
	args = append(args, sha, "--")
	if q.Path != "" {
		args = append(args, ":(top,literal)"+q.Path)
	}
	return args
}

func orDefault(revision string, r Repository) string {
	if revision == "" {
		return heads + r.DefaultBranch
	}
	return revision
}

// Comparison is how two commits of a repository relate.
type Comparison struct {
	Base, Head, MergeBase Commit
	// Ahead counts the commits of Head that Base lacks, Behind the others.
	Ahead, Behind int64
}

// Compare relates two revisions. ErrNotFound when they have no common commit.
func (f *Forge) Compare(ctx context.Context, r Repository, base, head string) (c Comparison, err error) {
	if c.Base, err = f.Commit(ctx, r, base); err != nil {
		return c, err
	}
	if c.Head, err = f.Commit(ctx, r, head); err != nil {
		return c, err
	}
	out, err := f.output(ctx, r, "", "merge-base", c.Base.SHA, c.Head.SHA)
	if git.IsRunError(err) {
		return c, errNotFound("common commit of", base+" and "+head)
	}
	if err != nil {
		return c, err
	}
	if c.MergeBase, err = f.Commit(ctx, r, strings.TrimSpace(string(out))); err != nil {
		return c, err
	}
	if c.Ahead, err = f.count(ctx, r, []string{c.Head.SHA, "^" + c.Base.SHA}); err != nil {
		return c, err
	}
	c.Behind, err = f.count(ctx, r, []string{c.Base.SHA, "^" + c.Head.SHA})
	return c, err
}

// Between lists the commits of head that base lacks, the oldest first. They are
// object names.
func (f *Forge) Between(ctx context.Context, r Repository, base, head string, page LogQuery) ([]Commit, error) {
	var out *gitoutput.Commits
	err := f.git.Query(ctx, r.git(), func(s git.Slot) error {
		out = &gitoutput.Commits{}
		cmd := f.git.Command(ctx, s, f.git.Path(r.folder), "log", "-z", "--no-show-signature", "--encoding=UTF-8",
			"--format="+gitoutput.CommitForm, "--max-count="+strconv.Itoa(page.Limit),
			"--skip="+strconv.FormatInt(page.Offset, 10), head, "^"+base, "--")
		return git.Run(ctx, cmd, "log", out)
	})
	if err != nil {
		return nil, fromGit(err)
	}
	list := out.List()
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list, nil
}

// Contributor is an author of commits, as the commits name them.
type Contributor struct {
	Name, Email string
	Commits     int64
}

// maxContributors bounds the list of a repository with made-up authors.
const maxContributors = 1 << 20

// Contributors are the authors of the default branch, those with the most commits
// first. A repository without commits has none.
func (f *Forge) Contributors(ctx context.Context, r Repository) ([]Contributor, error) {
	sha, err := f.Resolve(ctx, r, heads+r.DefaultBranch)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	out, _, err := f.git.Beginning(ctx, r.git(), maxContributors, "shortlog", "-s", "-n", "-e", sha, "--")
	if err != nil {
		return nil, fromGit(err)
	}
	var list []Contributor
	for line := range strings.Lines(strings.ToValidUTF8(string(out), "\uFFFD")) {
		count, who, ok := strings.Cut(strings.TrimSpace(line), "\t")
		n, err := strconv.ParseInt(count, 10, 64)
		open := strings.LastIndex(who, " <")
		if !ok || err != nil || open < 0 || !strings.HasSuffix(who, ">") {
			continue // cut off
		}
		list = append(list, Contributor{Name: who[:open], Email: who[open+2 : len(who)-1], Commits: n})
	}
	return list, nil
}
