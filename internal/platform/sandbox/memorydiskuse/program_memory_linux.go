package memorydiskuse

import (
	"bytes"
	"os"
	"strconv"
)

// Memory adds the memory of a process and all below it that is not a file's:
// private, and shared between them, each page once. What all have in their page
// tables is cheap to ask and never less, so pages are told apart only when
// that passes enough.
func Memory(first int, enough int64) int64 {
	all := processes(first)
	total := int64(0)
	for _, pid := range all {
		total += resident(pid)
	}
	if total <= enough {
		return total
	}
	total = 0
	for _, pid := range all {
		total += portion(pid)
	}
	return total
}

// resident is what a process has in memory, files included.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64) // the kernel's own digits
	return pages * int64(os.Getpagesize())
}

// portion is the part of a process in memory that is not a file's, shared pages
// divided by those who share them. Where the kernel does not say that, shared
// pages count for each.
func portion(pid int) int64 {
	dir := "/proc/" + strconv.Itoa(pid)
	if n, ok := kilobytes(dir+"/smaps_rollup", "Pss_Anon:", "Pss_Shmem:"); ok {
		return n
	}
	n, _ := kilobytes(dir+"/status", "RssAnon:", "RssShmem:")
	return n
}

// kilobytes adds named lines of a file of /proc, and reports whether all are there.
func kilobytes(file string, names ...string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	total, found := int64(0), 0
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) < 2 {
			continue
		}
		for _, name := range names {
			if string(f[0]) == name {
				n, _ := strconv.ParseInt(string(f[1]), 10, 64) // the kernel's own digits
				total, found = total+n<<10, found+1
			}
		}
	}
	return total, found == len(names)
}
