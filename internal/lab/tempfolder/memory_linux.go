package tempfolder

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	memory = "/dev/shm"
	// minFree is the least that must be free: containers have 64 MB there, which a few worlds fill.
	minFree = 2 << 30
)

// inMemory reports whether a folder lies in memory, with enough of it free, and lets programs run: pipelines do.
func inMemory(dir string) bool {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || unix.Access(dir, unix.W_OK) != nil {
		return false
	}
	return s.Type == unix.TMPFS_MAGIC && s.Flags&unix.ST_NOEXEC == 0 && s.Bavail*uint64(s.Bsize) >= minFree
}

// sameOwner reports whether two folders belong to one user.
func sameOwner(a, b fs.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, also := b.Sys().(*syscall.Stat_t)
	return ok && also && one.Uid == other.Uid
}
