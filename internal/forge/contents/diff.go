package contents

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/forge/refusal"
)

// emptyTree is git's name of a folder without files: what a first commit changes.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

const (
	// maxDiffList and maxPatch bound what git prints about one difference.
	maxDiffList = 1 << 20
	maxPatch    = 1 << 20
)

// FileChange is what a difference does to one file.
type FileChange = gitoutput.FileChange

// Diff lists what changed between two commits; an empty from means everything. At
// most gitoutput.MaxFiles are listed.
func (rd *Reader) Diff(ctx context.Context, r Repository, from, to string) ([]FileChange, error) {
	if from == "" {
		from = emptyTree
	}
	args := []string{"diff-tree", "-r", "-z", "-M", "--no-abbrev", "--raw", "--numstat", from, to, "--"}
	out, _, err := rd.git.Beginning(ctx, r.Git(), maxDiffList, args...)
	if err != nil {
		return nil, refusal.FromGit(err)
	}
	list := gitoutput.Changes(strings.ToValidUTF8(string(out), "\uFFFD"))
	if len(list) == 0 {
		return list, nil
	}
	args = []string{
		"-c", "core.quotePath=false", "diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", from, to, "--",
	}
	patch, _, err := rd.git.Beginning(ctx, r.Git(), maxPatch, args...)
	if err != nil {
		return nil, refusal.FromGit(err)
	}
	gitoutput.AddPatches(list, strings.ToValidUTF8(string(patch), "\uFFFD"), len(patch) < maxPatch)
	return list, nil
}
