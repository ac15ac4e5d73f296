package lab

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// leftOut reports what belongs to a running process and is not part of a world.
func leftOut(name string, d fs.DirEntry) bool {
	return d.Type()&fs.ModeSocket != 0 || name == "stoa.lock" || name == "metrics/lock" || strings.HasSuffix(name, "-shm")
}

// databaseLog holds what the database file may not have yet.
const databaseLog = database.FileName + "-wal"

// inDatabase reports a file whose changes the database counts.
func inDatabase(name string) bool { return name == database.FileName || name == databaseLog }

// copyFolder copies a world's data to a new folder. Files that match one of the
// patterns never change, so both worlds can share them. What is called like one of
// the others is left out.
func copyFolder(from, to string, immutable []string, without ...string) error {
	return walkEntries(from, immutable, without, func(e folderEntry) error { return e.copy(from, to) })
}

// folderEntry is a folder or file of a world's data.
type folderEntry struct {
	name string
	// dir has the permissions of a folder; shared files never change.
	dir    fs.FileMode
	shared bool
}

// listFolder is what copyFolder copies, for a folder that never changes: reading its folders
// takes as long as copying what is in them.
func listFolder(from string, immutable []string) (list []folderEntry, err error) {
	err = walkEntries(from, immutable, nil, func(e folderEntry) error { list = append(list, e); return nil })
	return list, err
}

func copyListed(list []folderEntry, from, to string) error {
	for _, e := range list {
		if err := e.copy(from, to); err != nil {
			return err
		}
	}
	return nil
}

// walkEntries calls f for a folder and all that belongs to a world in it.
func walkEntries(from string, immutable, without []string, f func(folderEntry) error) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p != from {
			return nil // a temporary file that its owner removed meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(name)
		switch {
		case leftOut(slashed, d) || slices.Contains(without, slashed):
			return nil
		case d.IsDir():
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // as above, with what was in it
			}
			if err != nil {
				return err
			}
			return f(folderEntry{name: name, dir: fs.ModeDir | info.Mode().Perm() | 0o700})
		case !d.Type().IsRegular():
			return nil // nothing else is written there
		}
		return f(folderEntry{name: name, shared: matches(immutable, slashed)})
	})
}

// copy makes the entry in another folder, where its parent is already.
func (e folderEntry) copy(from, to string) error {
	source, target := filepath.Join(from, e.name), filepath.Join(to, e.name)
	if e.dir != 0 {
		return makeDir(target, e.dir.Perm())
	}
	if e.shared && os.Link(source, target) == nil {
		return nil
	}
	if err := copyFile(source, target); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // a temporary file that its owner removed meanwhile
}

// refillFolder makes a folder that was a copy of another one equal to it again. Making
// and removing files and folders is most of the work of a copy, and few of them change.
func refillFolder(from, to string, immutable []string) error {
	wanted := map[string]bool{}
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target, slashed := filepath.Join(to, name), filepath.ToSlash(name)
		switch {
		case leftOut(slashed, d) || !d.IsDir() && !d.Type().IsRegular():
			return nil
		case d.IsDir():
			wanted[name] = true
			return copyDir(p, target, d)
		}
		wanted[name] = true
		if matches(immutable, slashed) && (sameFile(p, target) || os.Link(p, target) == nil) {
			return nil
		}
		return replaceFile(p, target)
	})
	if err != nil {
		return err
	}
	return filepath.WalkDir(to, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(to, p)
		if err != nil || wanted[name] {
			return err
		}
		if err := os.RemoveAll(p); err != nil || !d.IsDir() {
			return err
		}
		return fs.SkipDir
	})
}

// sameFile reports whether two paths lead to one file, which never changes.
func sameFile(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	other, err := os.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

// replaceFile is copyFile to a path where something may be. A file that is cut and
// written again is flushed by some file systems when it is closed; a new one is not.
func replaceFile(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return copyFile(from, to)
}

func copyDir(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its owner removed it meanwhile, with what was in it
	}
	if err != nil {
		return err
	}
	return makeDir(to, info.Mode().Perm()|0o700)
}

// makeDir makes a folder whose parent was made before it.
func makeDir(path string, mode fs.FileMode) error {
	if err := os.Mkdir(path, mode); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// matches compares a path with patterns whose ** stands for any number of
// folders.
func matches(patterns []string, name string) bool {
	for _, pattern := range patterns {
		head, tail, deep := strings.Cut(pattern, "/**")
		if !deep {
			if ok, err := path.Match(pattern, name); err == nil && ok {
				return true
			}
			continue
		}
		parts := strings.Split(name, "/")
		if n := strings.Count(head, "/") + 1; len(parts) > n && tail == "" {
			if ok, err := path.Match(head, strings.Join(parts[:n], "/")); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// copyFile copies by the kernel where it can, which shares blocks on file
// systems that do.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
