package datafolder

import (
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/module"
)

// labFile is what a lab leaves for its clients.
const labFile = "lab.env"

// RefuseLab says of the folder of a lab what it is, and how a command works in one of its
// worlds; nil for any other folder.
func RefuseLab(dir string) error {
	return refuseLab(dir, "which has worlds of its own",
		"name a world with --world, such as --world default; stoa lab starts the lab, and stoa world list shows what it has")
}

// RefuseServing is RefuseLab for a server, which cannot live there.
func RefuseServing(dir string) error {
	return refuseLab(dir, "which has worlds of its own",
		"stoa lab --data "+dir+" starts the lab; give a server a folder of its own with --data")
}

// RefuseEnded is RefuseLab for a command that asks which process runs there, when none does.
func RefuseEnded(dir string) error {
	return refuseLab(dir, "which does not run", "start it with stoa lab --data "+dir)
}

// RefuseLog is RefuseLab for a command that reads the log of a server.
func RefuseLog(dir string) error {
	return refuseLab(dir, "which has no such file", "a lab logs to standard error: see where stoa lab was started")
}

// RefuseWithoutWorld is RefuseLab for a command whose argument is the world.
func RefuseWithoutWorld(dir string) error {
	return refuseLab(dir, "which has worlds of its own", "name the world, as in stoa requests tail default")
}

func refuseLab(dir, what, next string) error {
	if _, err := os.Stat(filepath.Join(dir, labFile)); err != nil {
		return nil
	}
	return module.Fail(module.NotFound, next, "%s is the folder of a lab, %s", dir, what)
}
