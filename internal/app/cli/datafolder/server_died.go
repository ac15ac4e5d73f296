package datafolder

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// Died is the server that owned a folder and ended without giving it up; zero when there
// is none. The lock of a process that was stopped is an empty file.
func Died(dir string) int {
	f, err := os.OpenFile(filepath.Join(dir, "stoa.lock"), os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer folderlock.Close(f) // nothing was written
	text, err := os.ReadFile(f.Name())
	if err != nil || folderlock.File(f) != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0 // empty, or a command's
	}
	return pid
}
