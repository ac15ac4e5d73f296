package contents

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/forge/refusal"
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
func (rd *Reader) Log(ctx context.Context, r Repository, q LogQuery) (list []Commit, more bool, err error) {
	sha, err := rd.Resolve(ctx, r, orDefault(q.Revision, r))
	if err != nil {
		return nil, false, err
	}
	args := append([]string{
		"log", "-z", "--no-show-signature", "--encoding=UTF-8", "--format=" + gitoutput.CommitForm,
		"--max-count=" + strconv.Itoa(q.Limit+1), "--skip=" + strconv.FormatInt(q.Offset, 10),
	}, q.filter(sha)...)
	var out *gitoutput.Commits
	err = rd.git.Query(ctx, r.Git(), func(s git.Slot) error {
		out = &gitoutput.Commits{}
		return git.Run(ctx, rd.git.Command(ctx, s, rd.git.Path(r.Git().Folder), args...), "log", out)
	})
	if err != nil {
		return nil, false, refusal.FromGit(err)
	}
	list = out.List()
	return list[:min(len(list), q.Limit)], len(list) > q.Limit, nil
}

// CountLog is how many commits a Log without a limit lists.
func (rd *Reader) CountLog(ctx context.Context, r Repository, q LogQuery) (int64, error) {
	sha, err := rd.Resolve(ctx, r, orDefault(q.Revision, r))
	if err != nil {
		return 0, err
	}
	out, err := rd.output(ctx, r, "", append([]string{"rev-list", "--count"}, q.filter(sha)...)...)
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
		return r.DefaultRef()
	}
	return revision
}
