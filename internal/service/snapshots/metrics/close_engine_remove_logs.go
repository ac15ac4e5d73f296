//go:build !small

package metrics

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// logFolders, immutable, hold what the engine has in memory. It removes what was moved into blocks
// from them part by part, as newer points come, and reads the rest at every start. The first two
// name series by numbers that the last gives: without it they would be given again, to others.
var logFolders = []string{"chunks_head", "wbl", "wal"}

// removed is added to the name of a folder that is being removed: the engine does not open a part
// of one.
const removed = ".removed"

// closeEngine closes the engine and, when all points are in blocks, removes the logs.
func (l *Local) closeEngine() error {
	empty := l.db.Head().NumSeries() == 0
	if err := errors.Join(l.engine.Close(), l.db.Close()); err != nil || !empty {
		return err
	}
	return removeLogs(l.db.Dir())
}

func removeLogs(dir string) error {
	for _, name := range logFolders {
		folder := filepath.Join(dir, name)
		if err := os.Rename(folder, folder+removed); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return removeRenamed(dir)
}

// removeRenamed ends what a process that was killed began.
func removeRenamed(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), removed) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
