package contents

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/forge/refusal"
)

// Comparison is how two commits of a repository relate.
type Comparison struct {
	Base, Head, MergeBase Commit
	// Ahead counts the commits of Head that Base lacks, Behind the others.
	Ahead, Behind int64
}

// Compare relates two revisions. ErrNotFound when they have no common commit.
func (rd *Reader) Compare(ctx context.Context, r Repository, base, head string) (out Comparison, err error) {
	if out.Base, err = rd.Commit(ctx, r, base); err != nil {
		return out, err
	}
	if out.Head, err = rd.Commit(ctx, r, head); err != nil {
		return out, err
	}
	common, err := rd.output(ctx, r, "", "merge-base", out.Base.SHA, out.Head.SHA)
	if git.IsRunError(err) {
		return out, refusal.NotFound("common commit of", base+" and "+head)
	}
	if err != nil {
		return out, err
	}
	if out.MergeBase, err = rd.Commit(ctx, r, strings.TrimSpace(string(common))); err != nil {
		return out, err
	}
	if out.Ahead, err = rd.CountCommits(ctx, r, []string{out.Head.SHA, "^" + out.Base.SHA}); err != nil {
		return out, err
	}
	out.Behind, err = rd.CountCommits(ctx, r, []string{out.Base.SHA, "^" + out.Head.SHA})
	return out, err
}

// Between lists the commits of head that base lacks, the oldest first. They are
// object names.
func (rd *Reader) Between(ctx context.Context, r Repository, base, head string, page LogQuery) ([]Commit, error) {
	var out *gitoutput.Commits
	err := rd.git.Query(ctx, r.Git(), func(s git.Slot) error {
		out = &gitoutput.Commits{}
		cmd := rd.git.Command(ctx, s, rd.git.Path(r.Git().Folder), "log", "-z", "--no-show-signature", "--encoding=UTF-8",
			"--format="+gitoutput.CommitForm, "--max-count="+strconv.Itoa(page.Limit),
			"--skip="+strconv.FormatInt(page.Offset, 10), head, "^"+base, "--")
		return git.Run(ctx, cmd, "log", out)
	})
	if err != nil {
		return nil, refusal.FromGit(err)
	}
	list := out.List()
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list, nil
}
