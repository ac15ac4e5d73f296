package memlimit

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseProgram takes the pages of the program's own code out of this
// process's memory. Starting runs code all over the file, most of it never
// again; what is run again comes back from the kernel's cache at once. Nothing
// depends on it, so a kernel that refuses is not worth a word.
func releaseProgram() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		// Only code: it is never written, not even by a loader, and so can
		// always be read from the file again.
		fields := strings.Fields(line)
		if len(fields) != 6 || fields[1] != "r-xp" || fields[5] != self {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, startErr := strconv.ParseUint(from, 16, 64)
		end, endErr := strconv.ParseUint(to, 16, 64)
		if startErr == nil && endErr == nil {
			// Advice: the kernel may leave the pages where they are.
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(start), uintptr(end-start), syscall.MADV_DONTNEED)
		}
	}
}
