package forge

import "context"

// maxArchive is the largest archive that is made; more is for git to fetch.
const maxArchive = 8 << 20

// Archive packs the files of a commit, below one folder: as "zip" or "tar.gz".
// ErrTooLarge when there are too many.
func (f *Forge) Archive(ctx context.Context, r Repository, sha, form string) ([]byte, error) {
	folder := r.Owner.Name + "-" + r.Name + "-" + sha[:min(len(sha), 7)] + "/"
	out, whole, err := f.git.Beginning(ctx, r.git(), maxArchive,
		"archive", "--format="+form, "--prefix="+folder, sha)
	if err != nil {
		return nil, fromGit(err)
	}
	if !whole {
		return nil, errTooLarge("the archive is larger than %d bytes; clone the repository to read it", maxArchive)
	}
	return out, nil
}
