package contents

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/refusal"
)

// Contributor is an author of commits, as the commits name them.
type Contributor struct {
	Name, Email string
	Commits     int64
}

// maxContributors bounds the list of a repository with made-up authors.
const maxContributors = 1 << 20

// Contributors are the authors of the default branch, those with the most commits
// first. A repository without commits has none.
func (rd *Reader) Contributors(ctx context.Context, r Repository) ([]Contributor, error) {
	sha, err := rd.Resolve(ctx, r, r.DefaultRef())
	if errors.Is(err, refusal.ErrNotFound) || errors.Is(err, refusal.ErrInvalid) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out, _, err := rd.git.Beginning(ctx, r.Git(), maxContributors, "shortlog", "-s", "-n", "-e", sha, "--")
	if err != nil {
		return nil, refusal.FromGit(err)
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
