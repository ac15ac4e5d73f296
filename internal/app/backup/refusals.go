package backup

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"stoa.dev/stoa/internal/platform/module"
)

// asNoBackup says what is at the place that a backup was looked for.
func asNoBackup(dir string, err error) error {
	const name = "name the folder that the backup was written to"
	info, statErr := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unreadable(err)
	case errors.Is(statErr, fs.ErrNotExist):
		return module.Fail(module.NotFound, name, "there is no folder %s", dir)
	case statErr == nil && !info.IsDir(), errors.Is(err, syscall.ENOTDIR):
		return module.Fail(module.NotFound,
			"if it is one that the console made, unpack it: mkdir backup && tar -xf "+dir+" -C backup, and name that folder",
			"%s is a file, and a backup is a folder", dir)
	case errors.Is(err, fs.ErrNotExist):
		return module.Fail(module.NotFound, name, "%s is not a backup: it has no %s", dir, manifestName)
	}
	return err
}

// asDamaged says what is wrong with a file of a backup.
func asDamaged(dir, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unreadable(err)
	case errors.Is(err, fs.ErrNotExist):
		return module.Fail(module.Failed, "put it back if it is kept apart, or use another backup",
			"%s lacks %s, which %s lists", dir, name, manifestName)
	}
	return module.Fail(module.Failed, "use another backup: this one is damaged", "%w", err)
}

func unreadable(err error) error {
	return module.Fail(module.Failed, "see that you may read the backup, or run the command as its owner", "%w", err)
}
