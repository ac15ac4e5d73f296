package forge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
)

// Bounds of a checkout. A few objects can name each other so often that the
// files they stand for fill any disk, so they are added up before one is made.
const (
	maxFiles  = 500_000
	maxLevels = 200
	// entrySize is what a file takes beside its content.
	entrySize = 4 << 10
)

// Checkout puts a revision with its history into dir, an empty folder, as a
// clone would: on the branch when one is named, else detached. It runs no hook
// and follows no submodule. ErrTooLarge when that is more than limit bytes.
func (f *Forge) Checkout(ctx context.Context, r Repository, revision, branch, dir string, limit int64) error {
	sha, err := f.Resolve(ctx, r, revision)
	if err != nil {
		return err
	}
	if err := f.checkSize(ctx, r, sha, limit); err != nil {
		return err
	}
	if err := f.runLong(ctx, r, "",
		"clone", "--quiet", "--no-checkout", "--no-hardlinks", "--template=", "--", f.git.Path(r.folder), dir); err != nil {
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
	return f.runLong(ctx, r, "", "-C", dir, "remote", "set-url", "origin", CloneURL(f.world.URL(ctx), r))
}

// checkSize refuses a revision that takes more than limit bytes with its history.
func (f *Forge) checkSize(ctx context.Context, r Repository, sha string, limit int64) error {
	history, err := f.historySize(ctx, r)
	if err != nil {
		return err
	}
	if history > limit {
		return refusal.TooLarge("the history has %d MiB, at most %d are checked out", history>>20, limit>>20)
	}
	return refusal.FromGit(f.git.Query(ctx, r.Git(), func(s git.Slot) error {
		// Folders are listed too: they cost space, and can stand for many without
		// holding a file.
		list := func(ctx context.Context) *exec.Cmd {
			return f.git.Command(ctx, s, f.git.Path(r.folder),
				"ls-tree", "-r", "-t", "-l", "-z", "--end-of-options", sha)
		}
		return git.Pipe(ctx, "ls-tree", list, func(from io.Reader) error { return addEntries(from, limit-history, limit) })
	}))
}

// historySize is how many bytes the objects of a repository take.
func (f *Forge) historySize(ctx context.Context, r Repository) (int64, error) {
	out, err := f.output(ctx, r, "", "count-objects", "-v")
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

// addEntries adds up the entries of ls-tree -l -z until they are more than left of
// limit bytes.
func addEntries(from io.Reader, left, limit int64) error {
	// A name is at most as long as a path may be, or it could not be made.
	entries := bufio.NewReaderSize(from, 16<<10)
	for count := 0; ; {
		entry, err := entries.ReadSlice(0)
		if errors.Is(err, io.EOF) && len(entry) == 0 {
			return nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return refusal.TooLarge("a file has a name of more than %d bytes", 16<<10)
		}
		if err != nil {
			return err
		}
		meta, name, _ := bytes.Cut(entry, []byte("\t"))
		fields := bytes.Fields(meta)
		if count++; count > maxFiles {
			return refusal.TooLarge("the revision has more than %d files", maxFiles)
		}
		if bytes.Count(name, []byte("/")) > maxLevels {
			return refusal.TooLarge("the revision has folders more than %d deep", maxLevels)
		}
		if left -= entrySize; len(fields) > 3 {
			size, _ := strconv.ParseInt(string(fields[3]), 10, 64) // a dash for what is not a file
			left -= min(size, max(left, 0)+1)
		}
		if left < 0 {
			return refusal.TooLarge("the revision has more than %d MiB with its history", limit>>20)
		}
	}
}
