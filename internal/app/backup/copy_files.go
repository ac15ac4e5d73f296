package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/app/admin/transfer"
)

// File is one file of a backup.
type File struct {
	Name   string      `json:"name"`
	Size   int64       `json:"size"`
	Mode   fs.FileMode `json:"mode"`
	SHA256 string      `json:"sha256"`
}

// copier copies files durably and remembers their hashes.
type copier struct {
	from, to string
	files    map[string]File
}

func (c *copier) list() []File {
	return slices.SortedFunc(maps.Values(c.files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
}

// leftOut reports what belongs to a running process and not to its data.
func leftOut(name string) bool {
	return name == "stoa.lock" || name == "metrics/lock" || name == "server.log" || strings.HasSuffix(name, "-shm")
}

// copyTree copies what is below a folder of the data and was not copied before.
func (c *copier) copyTree(ctx context.Context, below string, without []string) error {
	root := filepath.Join(c.from, below)
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file that was removed meanwhile, or a folder that is not there yet
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		rest, err := filepath.Rel(c.from, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rest)
		target := dataDir + "/" + name
		switch _, done := c.files[target]; {
		case e.IsDir() && name == transfer.FolderName:
			return fs.SkipDir // copies of files for commands, such as this one
		case done || leftOut(name) || slices.Contains(without, name):
			return nil
		case e.IsDir():
			return os.MkdirAll(filepath.Join(c.to, filepath.FromSlash(target)), 0o700)
		case !e.Type().IsRegular():
			return nil // sockets
		}
		return c.copyFile(path, target)
	})
}

func (c *copier) copyFile(path, target string) (err error) {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return c.create(target, info.Mode().Perm(), func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// create makes a file that is not there, flushes it and remembers its hash.
func (c *copier) create(name string, mode fs.FileMode, write func(io.Writer) error) error {
	path := filepath.Join(c.to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	hash := sha256.New()
	err = write(io.MultiWriter(out, hash))
	if err == nil {
		err = out.Sync()
	}
	info, statErr := out.Stat()
	if err = errors.Join(err, statErr, out.Close()); err != nil {
		return err
	}
	c.files[name] = File{Name: name, Size: info.Size(), Mode: mode, SHA256: hex.EncodeToString(hash.Sum(nil))}
	return nil
}
