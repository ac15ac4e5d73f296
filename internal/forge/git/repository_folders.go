package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FolderLength is the length of a folder's name in hexadecimal characters.
const FolderLength = 32

// named reports whether this is the name of a repository's folder. Names come from rows, and
// a database may have come from anywhere: one with dots or slashes would be another folder of
// the machine, with a configuration that is not ours.
func named(folder string) bool {
	return len(folder) == FolderLength && strings.Trim(folder, "0123456789abcdef") == ""
}

// NewConfig is the configuration of a repository as Init makes it: nothing in it names a program.
const NewConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"

// Init makes an empty bare repository.
func (r *Runner) Init(ctx context.Context, repo Repo, branch string) error {
	dir := r.Path(repo.Folder)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return r.RunLong(ctx, repo, "", "init", "--quiet", "--bare", "--template=", "--initial-branch="+branch, "--", dir)
}

// Copy makes a bare copy that shares nothing but the bytes on disk.
func (r *Runner) Copy(ctx context.Context, from Repo, to string) error {
	dir := r.Path(to)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return r.RunLong(ctx, from, "",
		"clone", "--quiet", "--bare", "--local", "--template=", "--", r.Path(from.Folder), dir)
}

// GC packs a repository; git decides whether there is enough to do. Objects
// without a reference are kept for two weeks, so a push that goes on meanwhile
// loses nothing. A folder that is not there, as it may be another process's, is
// left out.
func (r *Runner) GC(ctx context.Context, repo Repo) error {
	dir := r.Path(repo.Folder)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.RunLong(ctx, repo, dir, "-c", "gc.auto=1000", "-c", "gc.autoPackLimit=20", "-c", "gc.autoDetach=false",
		"-c", "gc.pruneExpire=2.weeks.ago", "gc", "--auto", "--quiet")
}

// Size is how many bytes the objects of a repository take on disk.
func (r *Runner) Size(folder string) (total int64, err error) {
	objects := filepath.Join(r.Path(folder), "objects")
	err = filepath.WalkDir(objects, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreMissing(err)
		}
		info, err := e.Info()
		if err == nil {
			total += info.Size()
		}
		return ignoreMissing(err)
	})
	return total, err
}

// ignoreMissing leaves out what goes away during a walk.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Folders lists the repositories there are, with the time each was last changed.
func (r *Runner) Folders() (map[string]fs.FileInfo, error) {
	dirs, err := filepath.Glob(filepath.Join(r.root, "??", "*.git"))
	if err != nil {
		return nil, err
	}
	found := map[string]fs.FileInfo{}
	for _, dir := range dirs {
		folder := strings.TrimSuffix(filepath.Base(dir), ".git")
		if !named(folder) {
			continue
		}
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has removed it
		}
		if err != nil {
			return nil, err
		}
		found[folder] = info
	}
	return found, nil
}

// Remove deletes a repository's folder; one that is gone is fine.
func (r *Runner) Remove(folder string) error {
	if !named(folder) {
		return fmt.Errorf("git: %q is not the folder of a repository", folder)
	}
	return os.RemoveAll(r.Path(folder))
}
