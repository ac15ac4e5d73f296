//go:build !small

package metrics

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/prometheus/tsdb"
)

// logFolders, immutable, hold what the engine has in memory. It removes what was moved into blocks
// from them part by part, as newer points come, and reads the rest at every start.
var logFolders = []string{"wal", "wbl", "chunks_head"}

// removed is added to the name of a folder that is being removed: the engine does not open a part
// of one.
const removed = ".removed"

// closeEngine closes the engine and, when all points are in blocks, removes the logs.
func (l *Local) closeEngine() error {
	empty := l.db.Head().NumSeries() == 0
	if err := errors.Join(l.engine.Close(), l.db.Close()); err != nil || !empty {
		return err
	}
	return removeLogs(l.db)
}

func removeLogs(db *tsdb.DB) error {
	for _, name := range logFolders {
		folder := filepath.Join(db.Dir(), name)
		if err := os.Rename(folder, folder+removed); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return removeRenamed(db.Dir())
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
