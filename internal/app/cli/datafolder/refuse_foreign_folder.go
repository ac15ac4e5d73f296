package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seal"
)

// Use is what a command does with its data folder.
type Use int

const (
	// Look needs a folder that is Stoa's already.
	Look Use = iota
	// Begin also takes one that is empty.
	Begin
	// Serve takes any folder, and makes one: a server is told where to live.
	Serve
)

// Of is the use of a declared command.
func Of(c module.Command) Use {
	if c.Begins {
		return Begin
	}
	return Look
}

// Check refuses a folder that the command must not write to. remote says that the
// database is elsewhere: then the folder of a new process is empty.
func Check(dir string, use Use, remote bool) error {
	refuse := RefuseLab
	if use == Serve {
		refuse = RefuseServing
	}
	if err := refuse(dir); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, backup.PartFolder)); err == nil {
		return module.Fail(module.Conflict, "empty the folder and run stoa restore again",
			"a restore into %s was interrupted", dir)
	}
	if use == Serve || owned(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil // the caller says so in words of its own, or opening it does
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 && (use == Begin || remote) {
		return nil
	}
	return module.Fail(module.NotFound, advice(dir, len(entries)), "%s is not a Stoa data folder", dir)
}

// RefuseServer says of the data folder of a server, running or not, that a lab cannot live
// there; nil for any other. A lab would leave files there that have every command take the
// folder for a lab's.
func RefuseServer(dir string) error {
	if !has(dir, database.FileName) && !has(dir, "node.id") {
		return nil
	}
	next := "give the lab a folder of its own, such as --data ./stoa-lab"
	lock, err := folderlock.OpenForCommand(dir)
	var owned *folderlock.OwnedError
	switch {
	case errors.As(err, &owned) && owned.Command:
		return module.Fail(module.Owned, next, "%s is the data folder of a server, and a command works in it (process %d)",
			dir, owned.PID)
	case errors.As(err, &owned):
		return module.Fail(module.Owned, next, "a server runs in %s (process %d), and a lab has worlds of its own",
			dir, owned.PID)
	case err != nil:
		return err
	}
	refused := module.Fail(module.Conflict, next,
		"%s is the data folder of a server, and a lab has worlds of its own", dir)
	return errors.Join(refused, lock.Unlock())
}

// marks are the files that every data folder has one of: the database, the name of a
// process whose database is elsewhere, and the check of the root key.
func marks() []string {
	return []string{database.FileName, "node.id", seal.CheckFile}
}

// owned reports whether a folder is Stoa's.
func owned(dir string) bool {
	return slices.ContainsFunc(marks(), func(name string) bool { return has(dir, name) })
}

// has reports whether there is a file of that name.
func has(dir, name string) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// advice is the next step for what a folder is instead.
func advice(dir string, entries int) string {
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	switch {
	case entries == 0:
		return "it is empty: start a server there with stoa start --wait, or name another folder with --data"
	case there("manifest.json") && there("data"):
		return fmt.Sprintf("it is a backup: bring it back with stoa restore %s --data NEW-FOLDER, which checks it", dir)
	}
	return "nothing was changed; name the folder of a server with --data or STOA_DATA"
}
