package memorydiskuse

import (
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
