package simulation

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyFiles copies the regular files of a folder with their modes: a crash leaves no
// socket, and no shared memory.
func copyFiles(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case !e.Type().IsRegular() || strings.HasSuffix(path, "-shm"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}
