package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/module"
)

// SourceParts lists what has to be copied of a repository so that it can be fetched from:
// all of a bare one, and the part without checked out files of another.
func SourceParts(folder string) ([]string, error) {
	part := ".git"
	info, err := os.Stat(filepath.Join(folder, part))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		part = "."
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, module.Fail(module.Usage, "name the folder of that repository",
			"%s is a work tree of another repository", folder)
	}
	if _, err := os.Stat(filepath.Join(folder, part, "HEAD")); err != nil {
		return nil, module.Fail(module.Usage, "name a folder that git init or git clone made", "%s is not a git repository",
			folder)
	}
	borrowed := filepath.Join(folder, part, "objects", "info", "alternates")
	if info, err := os.Stat(borrowed); err == nil && info.Size() > 0 {
		return nil, module.Fail(module.Usage, "copy them with git repack -a -d, and remove "+borrowed,
			"%s borrows objects of another repository", folder)
	}
	return []string{part}, nil
}
