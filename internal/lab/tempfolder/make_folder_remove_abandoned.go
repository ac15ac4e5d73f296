package tempfolder

import (
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// prefix begins the name of every folder.
const prefix = "stoa-lab-"

// leftAfter is how old a folder without an owner must be: a younger one may be that of a process that is starting.
const leftAfter = time.Hour

// Make makes a new folder, which the caller removes: below parent, unless it is empty.
func Make(parent string) (string, error) {
	if parent != "" || !inMemory(memory) {
		return os.MkdirTemp(parent, prefix)
	}
	return makeIn(memory)
}

func makeIn(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return os.MkdirTemp("", prefix)
	}
	removeLeft(parent, dir)
	return dir, nil
}

// removeLeft removes the folders of this user's processes that were killed. Anyone may make folders here: nothing is
// opened in those of others.
func removeLeft(parent, own string) {
	made, err := os.Stat(own)
	if err != nil {
		return
	}
	found, _ := filepath.Glob(filepath.Join(parent, prefix+"*")) // the pattern is a good one
	for _, dir := range found {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !sameOwner(made, info) || made.ModTime().Sub(info.ModTime()) < leftAfter {
			continue
		}
		lock, err := folderlock.Open(dir)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir) // the new folder does not need it gone
		_ = lock.Unlock()     // the file is gone
	}
}
