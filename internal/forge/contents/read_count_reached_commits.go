package contents

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/forge/refusal"
)

// Commit reads the commit that a revision names.
func (rd *Reader) Commit(ctx context.Context, r Repository, revision string) (Commit, error) {
	sha, err := rd.Resolve(ctx, r, revision)
	if err != nil {
		return Commit{}, err
	}
	commits, err := rd.Commits(ctx, r, []string{sha}, 1)
	if err == nil && len(commits) == 0 {
		err = refusal.NotFound("commit", sha)
	}
	if err != nil {
		return Commit{}, err
	}
	return commits[0], nil
}

// Commits reads commits, newest first. revs are object names, with ^ to exclude.
func (rd *Reader) Commits(ctx context.Context, r Repository, revs []string, limit int) ([]Commit, error) {
	var out *gitoutput.Commits
	err := rd.git.Query(ctx, r.Git(), func(s git.Slot) error {
		cmd := rd.git.Command(ctx, s, rd.git.Path(r.Git().Folder), "log", "-z", "--no-show-signature", "--encoding=UTF-8",
			"--max-count="+strconv.Itoa(limit), "--format="+gitoutput.CommitForm, "--stdin")
		cmd.Stdin = strings.NewReader(revisions(revs))
		out = &gitoutput.Commits{}
		return git.Run(ctx, cmd, "log", out)
	})
	if err != nil {
		return nil, refusal.FromGit(err)
	}
	return out.List(), nil
}

// CountCommits counts the commits that revs reach.
func (rd *Reader) CountCommits(ctx context.Context, r Repository, revs []string) (int64, error) {
	out, err := rd.output(ctx, r, revisions(revs), "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// CommitNames lists the newest commits that revs reach.
func (rd *Reader) CommitNames(ctx context.Context, r Repository, revs []string, limit int) (map[string]bool, error) {
	out, err := rd.output(ctx, r, revisions(revs), "rev-list", "--max-count="+strconv.Itoa(limit), "--stdin")
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		set[name] = true
	}
	return set, nil
}

// Reaches reports whether every commit of before is still in after.
func (rd *Reader) Reaches(ctx context.Context, r Repository, before, after string) (bool, error) {
	_, err := rd.output(ctx, r, "", "merge-base", "--is-ancestor", before, after)
	if git.IsRunError(err) {
		return false, nil
	}
	return err == nil, err
}

func revisions(revs []string) string { return strings.Join(revs, "\n") + "\n" }
