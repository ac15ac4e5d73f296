package sandbox

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/sandbox/tree"
)

// WorkRoot returns the folder below which work folders must be made by a server
// that would like them in dir, and makes it.
//
// A server that runs as root gives its programs another user id. That user
// must be able to walk to the work folder, so where dir or what is above it is
// closed to others (as a data folder should be) the work root is a folder of root's
// own below /var/tmp, with a name that belongs to dir.
func (s *Sandbox) WorkRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return "", fmt.Errorf("sandbox: making the folder for work folders: %w", err)
	}
	if !s.changesUser() || walkable(dir) {
		return dir, nil
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir)) // never fails
	root := workRootPrefix + strconv.FormatUint(h.Sum64(), 36)
	for range 1000 { // Another server removes a work root that it finds empty.
		if err := os.Mkdir(root, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("sandbox: making the folder for work folders: %w", err)
		}
		if ownedByRoot(root) && os.Chmod(root, 0o711) == nil {
			return root, nil
		}
	}
	return "", fmt.Errorf("%w: %s is not a folder of root's own; remove it", ErrUnavailable, root)
}

// workRootPrefix begins the work roots outside of data folders.
const workRootPrefix = "/var/tmp/stoa-"

// WorkRoots lists the work roots that servers on this machine have, or had, outside
// of their folders: a data folder that is gone leaves one behind.
func (s *Sandbox) WorkRoots() []string {
	if !s.changesUser() {
		return nil
	}
	found, _ := filepath.Glob(workRootPrefix + "*") // the pattern is sound
	return slices.DeleteFunc(found, func(root string) bool { return !ownedByRoot(root) })
}

// ownedByRoot reports whether a folder is root's own, which no other user can have prepared.
func ownedByRoot(root string) bool {
	info, err := os.Lstat(root)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0
}

// changesUser reports whether programs run as another user. As root they
// must: the kernel counts no processes of root.
func (s *Sandbox) changesUser() bool { return s.Confined() && os.Geteuid() == 0 }

// walkable reports whether everybody may walk to a folder.
func walkable(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
		dir = filepath.Dir(dir)
	}
}

// maxUserIDs is how many ids are given to work folders.
const maxUserIDs = 65536

// user is the id for a work folder: the same for every run in it, another one
// for most other folders.
func (s *Sandbox) user(dir string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(dir)) // never fails
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		ids = nil
	}
	first, count := idRange(string(ids), s.config.FirstUser)
	return first + int(h.Sum32()%uint32(count))
}

// idRange finds the ids to use on a machine whose root has only some of them, as
// in a container without a root of its own: those of the configuration, or the
// upper part of what there is.
func idRange(idMap string, first int) (from, count int) {
	from, count = first, maxUserIDs
	upper := 0
	for line := range strings.Lines(idMap) {
		var inside, outside, size int
		if n, _ := fmt.Sscan(line, &inside, &outside, &size); n != 3 {
			continue
		}
		if inside <= first && first+maxUserIDs <= inside+size {
			return first, maxUserIDs
		}
		// Below 1000 are the accounts of the system.
		if low := max(inside, 1000); inside+size-low > upper {
			upper = inside + size - low
			from, count = low+upper/2, max(upper/2, 1)
		}
	}
	return from, min(count, maxUserIDs)
}

func (s *Sandbox) credential(dir string) *syscall.Credential {
	if !s.changesUser() {
		return nil
	}
	id := uint32(s.user(dir))
	return &syscall.Credential{Uid: id, Gid: id}
}

// chownWorkFolder gives a work folder to the user of its runs, once.
func (s *Sandbox) chownWorkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("%w: the work folder: %w", ErrSpec, err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return fmt.Errorf("%w: the work folder is not a folder", ErrSpec)
	}
	if !s.changesUser() || int(st.Uid) == s.user(dir) {
		return nil
	}
	if err := s.Chown(dir, dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("%w: closing the work folder to others: %w", ErrUnavailable, err)
	}
	return nil
}

// Remove deletes a work folder with everything a program left in it, folders
// that it made unreadable included. Links are removed, never followed.
func Remove(dir string) error { return tree.Remove(dir) }

// Chown hands a folder of the server's over to the user that runs programs in
// the work folder dir. Links are given, not followed.
func (s *Sandbox) Chown(folder, dir string) error {
	if !s.changesUser() {
		return nil
	}
	id := s.user(dir)
	err := os.Lchown(folder, id, id)
	if err == nil {
		err = tree.Walk(folder, func(in int, name string, _ *unix.Stat_t) error {
			return tree.IgnoreVanished(unix.Fchownat(in, name, id, id, unix.AT_SYMLINK_NOFOLLOW))
		})
	}
	if err != nil {
		return fmt.Errorf("%w: giving a folder to user %d: %w", ErrUnavailable, id, err)
	}
	return nil
}

// chownPipes lets the program open again, by their path in /proc, the pipes it
// is handed.
func (s *Sandbox) chownPipes(spec Spec) error {
	if !s.changesUser() {
		return nil
	}
	id := s.user(spec.Dir)
	for _, f := range spec.Files {
		if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			continue
		}
		if err := f.Chown(id, id); err != nil {
			return fmt.Errorf("%w: giving a pipe to user %d: %w", ErrUnavailable, id, err)
		}
	}
	return nil
}
