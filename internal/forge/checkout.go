package forge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of a checkout. A few objects can name each other so often that the
// files they stand for fill any disk, so they are added up before one is made.
const (
	mostFiles  = 500_000
	mostLevels = 200
	// entryRoom is what a file takes beside its content.
	entryRoom = 4 << 10
)

// Checkout puts a revision with its history into dir, an empty folder, as a
// clone would: on the branch when one is named, else detached. It runs no hook
// and follows no submodule. ErrTooLarge when that is more than most bytes.
func (f *Forge) Checkout(ctx context.Context, r Repository, revision, branch, dir string, most int64) error {
	sha, err := f.Resolve(ctx, r, revision)
	if err != nil {
		return err
	}
	if err := f.fits(ctx, r, sha, most); err != nil {
		return err
	}
	if err := f.runLong(ctx, r, "", "clone", "--quiet", "--no-checkout", "--no-hardlinks", "--template=", "--", f.git.path(r.folder), dir); err != nil {
		return err
	}
	args := []string{"-C", dir, "checkout", "--quiet", "--detach", sha, "--"}
	if branch != "" {
		args = []string{"-C", dir, "checkout", "--quiet", "-B", branch, sha, "--"}
	}
	if err := f.runLong(ctx, r, "", args...); err != nil {
		return err
	}
	// What is checked out names the address for clients, not our folder.
	return f.runLong(ctx, r, "", "-C", dir, "remote", "set-url", "origin", f.world.URL()+"/git/"+r.FullName()+".git")
}

// fits refuses a revision that takes more than most bytes with its history.
func (f *Forge) fits(ctx context.Context, r Repository, sha string, most int64) error {
	history, err := f.history(ctx, r)
	if err != nil {
		return err
	}
	if history > most {
		return tooLarge("the history has %d MiB, at most %d are checked out", history>>20, most>>20)
	}
	return f.ask(ctx, r, func(p place) error { return f.fitsTree(ctx, p, r, sha, most-history, most) })
}

// fitsTree adds up the files of a revision. Folders are listed too: they cost
// room, and can stand for many without holding a file. The program ends as soon
// as we have seen enough.
func (f *Forge) fitsTree(ctx context.Context, p place, r Repository, sha string, left, most int64) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	cmd := f.git.command(ctx, p, f.git.path(r.folder), "ls-tree", "-r", "-t", "-l", "-z", "--end-of-options", sha)
	complaint := newComplaint()
	cmd.Stderr = complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return gitError(ctx, "ls-tree", err, "")
	}
	failed := weigh(out, left, most)
	if failed != nil {
		enough()
	}
	err = cmd.Wait()
	if failed != nil {
		return failed
	}
	if err != nil {
		return gitError(ctx, "ls-tree", err, string(complaint.kept))
	}
	return nil
}

// history is how many bytes the objects of a repository take.
func (f *Forge) history(ctx context.Context, r Repository) (int64, error) {
	out, err := f.run(ctx, r, "", "count-objects", "-v")
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "size" || name == "size-pack" {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("git count-objects: %w", err)
			}
			total += n << 10
		}
	}
	return total, nil
}

// weigh adds up the entries of ls-tree -l -z until they are too much.
func weigh(from io.Reader, left, most int64) error {
	// A name is at most as long as a path may be, or it could not be made.
	entries := bufio.NewReaderSize(from, 16<<10)
	for count := 0; ; {
		entry, err := entries.ReadSlice(0)
		if errors.Is(err, io.EOF) && len(entry) == 0 {
			return nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return tooLarge("a file has a name of more than %d bytes", 16<<10)
		}
		if err != nil {
			return err
		}
		meta, name, _ := bytes.Cut(entry, []byte("\t"))
		fields := bytes.Fields(meta)
		if count++; count > mostFiles {
			return tooLarge("the revision has more than %d files", mostFiles)
		}
		if bytes.Count(name, []byte("/")) > mostLevels {
			return tooLarge("the revision has folders more than %d deep", mostLevels)
		}
		if left -= entryRoom; len(fields) > 3 {
			size, _ := strconv.ParseInt(string(fields[3]), 10, 64) // a dash for what is no file
			left -= min(size, max(left, 0)+1)
		}
		if left < 0 {
			return tooLarge("the revision has more than %d MiB with its history", most>>20)
		}
	}
}

func tooLarge(format string, args ...any) *Error {
	return &Error{Code: CodeTooLarge, Message: fmt.Sprintf(format, args...)}
}
