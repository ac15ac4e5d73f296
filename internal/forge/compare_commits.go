package forge

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
)

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
