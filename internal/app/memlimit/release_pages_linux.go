package memlimit

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseProgram takes the pages of the program's own file out of this process's
// memory: its code, its constants and its tables of functions. Starting runs and
// reads all over the file, most of it never again; what is used again comes back
// from the kernel's cache at once. Nothing depends on it, so a kernel that refuses is
// not worth a word.
func releaseProgram() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, p := range unwrittenPages(string(maps), self) {
		if !p.code {
			// One constant that is read would bring two megabytes back.
			advise(p, syscall.MADV_NOHUGEPAGE)
		}
		advise(p, syscall.MADV_DONTNEED)
	}
}

// advise tells the kernel.
func advise(p pages, advice uintptr) {
	// Advice: the kernel may leave the pages as they are.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, p.start, p.end-p.start, advice)
}

// pages are addresses of this process, the end not among them.
type pages struct {
	start, end uintptr
	code       bool
}

// unwrittenPages are those of a file's mappings that cannot be written to and that
// no loader has written to before: they can always be read from the file
// again. Where the kernel does not say so they are left out.
func unwrittenPages(smaps, file string) (found []pages) {
	var mapping pages
	kept := 0 // which of the two places of changed pages are known to be empty
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"):
			mapping, kept = programPages(fields, file), 0
		case len(fields) == 3 && (fields[0] == "Anonymous:" || fields[0] == "Swap:") && fields[1] == "0":
			kept++
			if kept == 2 && mapping.end > mapping.start {
				found = append(found, mapping)
			}
		}
	}
	return found
}

// programPages are those of one mapping of the file that is private and not to be
// written; none where it is another.
func programPages(fields []string, file string) pages {
	if len(fields) != 6 || fields[5] != file || (fields[1] != "r-xp" && fields[1] != "r--p") {
		return pages{}
	}
	from, to, _ := strings.Cut(fields[0], "-")
	start, startErr := strconv.ParseUint(from, 16, 64)
	end, endErr := strconv.ParseUint(to, 16, 64)
	if startErr != nil || endErr != nil {
		return pages{}
	}
	return pages{uintptr(start), uintptr(end), fields[1] == "r-xp"}
}
