package contents

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/forge/refusal"
)

// maxArchive is the largest archive that is made; more is for git to fetch.
const maxArchive = 8 << 20

// Archive packs the files of a commit, below one folder: as "zip" or "tar.gz".
// ErrTooLarge when there are too many.
func (rd *Reader) Archive(ctx context.Context, r Repository, sha, form string) ([]byte, error) {
	folder := strings.Replace(r.FullName(), "/", "-", 1) + "-" + sha[:min(len(sha), 7)] + "/"
	out, whole, err := rd.git.Beginning(ctx, r.Git(), maxArchive,
		"archive", "--format="+form, "--prefix="+folder, sha)
	if err != nil {
		return nil, refusal.FromGit(err)
	}
	if !whole {
		return nil, refusal.TooLarge("the archive is larger than %d bytes; clone the repository to read it", maxArchive)
	}
	return out, nil
}
