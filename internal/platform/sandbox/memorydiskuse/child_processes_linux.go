package memorydiskuse

import (
	"bytes"
	"os"
	"strconv"
)

// list names what is in a folder of /proc, nothing when it is gone.
func list(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // what was read before an error counts
	return names
}

// maxProcesses bounds a look; no run may have as many.
const maxProcesses = 100_000

// processes lists a process and all below it. Those whose parent ended are
// children of the first one, so none is missed for long.
func processes(first int) []int {
	all := []int{first}
	for n := 0; n < len(all) && n < maxProcesses; n++ {
		dir := "/proc/" + strconv.Itoa(all[n]) + "/task"
		// Every thread has its own children.
		for _, thread := range list(dir) {
			b, err := os.ReadFile(dir + "/" + thread + "/children")
			if err != nil {
				continue
			}
			for _, f := range bytes.Fields(b) {
				if pid, err := strconv.Atoi(string(f)); err == nil {
					all = append(all, pid)
				}
			}
		}
	}
	return all
}
