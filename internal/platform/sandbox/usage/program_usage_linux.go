package usage

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/sandbox/tree"
)

// How a look at the disk ends early.
var (
	ErrEnough = errors.New("sandbox: more than enough")
	ErrOver   = errors.New("sandbox: the run is over")
)

// Disk adds up the blocks of a run, up to just beyond Enough.
type Disk struct {
	Enough int64
	Over   func() bool // ends the look
	// Seen is the number of files that were looked at.
	Seen int

	total int64
}

// count adds one file.
func (d *Disk) count(blocks int64) error {
	d.total += blocks * 512
	if d.total > d.Enough {
		return ErrEnough
	}
	if d.Seen++; d.Seen%128 == 0 && d.Over() {
		return ErrOver
	}
	return nil
}

// Add counts what lies in the work folder, and what has no name there any more
// but is still held by the first process or one below it. It ends early with
// ErrEnough or ErrOver.
func (d *Disk) Add(dir string, first int) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return err
	}
	err := tree.Walk(dir, func(_ int, _ string, st *unix.Stat_t) error { return d.count(st.Blocks) })
	if err != nil {
		return err
	}
	nameless := map[uint64]bool{}
	for _, pid := range processes(first) {
		if err := d.held(pid, st.Dev, nameless); err != nil {
			return err
		}
	}
	return nil
}

// held counts the nameless files of one process. Every thread may have a table
// of open files to itself; a file may also be mapped and not open.
func (d *Disk) held(pid int, device uint64, nameless map[uint64]bool) error {
	see := func(name string) (bool, error) {
		var st unix.Stat_t
		if err := unix.Stat(name, &st); err != nil {
			return false, nil // closed meanwhile
		}
		if st.Nlink != 0 || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Dev != device || nameless[st.Ino] {
			return true, d.count(0)
		}
		nameless[st.Ino] = true
		return true, d.count(st.Blocks)
	}
	dir := "/proc/" + strconv.Itoa(pid)
	for _, thread := range list(dir + "/task") {
		for _, fd := range list(dir + "/task/" + thread + "/fd") {
			if _, err := see(dir + "/task/" + thread + "/fd/" + fd); err != nil {
				return err
			}
		}
	}
	maps, err := os.ReadFile(dir + "/maps")
	if err != nil {
		return nil // gone meanwhile
	}
	for line := range strings.Lines(string(maps)) {
		m, ok := deletedMap(line, device)
		if !ok || nameless[m.inode] {
			continue
		}
		// Only root may ask for the file behind a map; others know its length.
		known, err := see(dir + "/map_files/" + m.span)
		if err == nil && !known {
			nameless[m.inode] = true
			err = d.count(m.size / 512)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fileMap is a piece of a file in the memory of a process.
type fileMap struct {
	span  string
	inode uint64
	size  int64
}

// deletedMap reads a line of /proc/…/maps and reports whether it is a piece of a
// file of the device that has no name any more.
func deletedMap(line string, device uint64) (fileMap, bool) {
	f := strings.Fields(line)
	if len(f) < 7 || f[len(f)-1] != "(deleted)" {
		return fileMap{}, false
	}
	from, to, _ := strings.Cut(f[0], "-")
	major, minor, _ := strings.Cut(f[3], ":")
	number := func(s string, base int) uint64 {
		n, _ := strconv.ParseUint(s, base, 64) // the kernel's own digits
		return n
	}
	if unix.Mkdev(uint32(number(major, 16)), uint32(number(minor, 16))) != device {
		return fileMap{}, false
	}
	return fileMap{span: f[0], inode: number(f[4], 10), size: int64(number(to, 16) - number(from, 16))}, true
}

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
