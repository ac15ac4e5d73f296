package forge

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
)

// Commit reads the commit that a revision names.
func (f *Forge) Commit(ctx context.Context, r Repository, revision string) (Commit, error) {
	sha, err := f.Resolve(ctx, r, revision)
	if err != nil {
		return Commit{}, err
	}
	commits, err := f.log(ctx, r, []string{sha}, 1)
	if err == nil && len(commits) == 0 {
		err = errNotFound("commit", sha)
	}
	if err != nil {
		return Commit{}, err
	}
	return commits[0], nil
}

// log reads commits, newest first. revs are object names, with ^ to exclude.
func (f *Forge) log(ctx context.Context, r Repository, revs []string, limit int) ([]Commit, error) {
	var out *gitoutput.Commits
	err := f.git.Query(ctx, r.git(), func(s git.Slot) error {
		cmd := f.git.Command(ctx, s, f.git.Path(r.folder), "log", "-z", "--no-show-signature", "--encoding=UTF-8",
			"--max-count="+strconv.Itoa(limit), "--format="+gitoutput.CommitForm, "--stdin")
		cmd.Stdin = strings.NewReader(revisions(revs))
		out = &gitoutput.Commits{}
		return git.Run(ctx, cmd, "log", out)
	})
	if err != nil {
		return nil, fromGit(err)
	}
	return out.List(), nil
}

// count counts the commits that revs reach.
func (f *Forge) count(ctx context.Context, r Repository, revs []string) (int64, error) {
	out, err := f.output(ctx, r, revisions(revs), "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// names lists the newest commits that revs reach.
func (f *Forge) names(ctx context.Context, r Repository, revs []string, limit int) (map[string]bool, error) {
	out, err := f.output(ctx, r, revisions(revs), "rev-list", "--max-count="+strconv.Itoa(limit), "--stdin")
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		set[name] = true
	}
	return set, nil
}

// reaches reports whether every commit of before is still in after.
func (f *Forge) reaches(ctx context.Context, r Repository, before, after string) (bool, error) {
	_, err := f.output(ctx, r, "", "merge-base", "--is-ancestor", before, after)
	if git.IsRunError(err) {
		return false, nil
	}
	return err == nil, err
}

func revisions(revs []string) string { return strings.Join(revs, "\n") + "\n" }
