package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// glance is how often, in milliseconds, the watch looks at memory; at the disk
// it looks every eighth time.
const (
	glance    = 250
	diskEvery = 8
)

// watch adds up what the processes of a run use together, which the limits of
// single processes do not bound. It waits in the kernel, by the machine's time:
// memory does not fill by the clock of a world.
func (b *confined) watch(first, pid int) {
	for tick := 1; ; tick++ {
		poll := []unix.PollFd{{Fd: int32(first), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, glance)
		if n > 0 || (err != nil && err != unix.EINTR) {
			return
		}
		if !b.group.counts() && memoryOf(pid) > b.spec.Memory {
			b.verdicts <- Exit{OutOfMemory: true}
			return
		}
		if tick%diskEvery == 0 && diskUse(b.spec.Dir, b.spec.Disk) > b.spec.Disk {
			b.verdicts <- Exit{OutOfDisk: true}
			return
		}
	}
}

// memoryOf adds the private memory of a process and all below it. Processes
// whose parent ended are children of the first one, so none is missed for long.
func memoryOf(first int) int64 {
	page := int64(os.Getpagesize())
	total := int64(0)
	todo := []int{first}
	for n := 0; n < len(todo) && n < 100_000; n++ {
		dir := "/proc/" + strconv.Itoa(todo[n])
		if b, err := os.ReadFile(dir + "/statm"); err == nil {
			fields := bytes.Fields(b)
			if len(fields) > 2 {
				resident, _ := strconv.ParseInt(string(fields[1]), 10, 64) // the kernel's own digits
				files, _ := strconv.ParseInt(string(fields[2]), 10, 64)
				total += (resident - files) * page
			}
		}
		// Every thread has its own children.
		threads, err := os.ReadDir(dir + "/task")
		if err != nil {
			continue
		}
		for _, t := range threads {
			b, err := os.ReadFile(dir + "/task/" + t.Name() + "/children")
			if err != nil {
				continue
			}
			for _, f := range bytes.Fields(b) {
				if pid, err := strconv.Atoi(string(f)); err == nil {
					todo = append(todo, pid)
				}
			}
		}
	}
	return total
}

// diskUse adds the blocks below a folder, up to just beyond enough.
func diskUse(dir string, enough int64) int64 {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	total := int64(0)
	// Files come and go while we look; what cannot be read is not counted.
	_ = fs.WalkDir(root.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			total += st.Blocks * 512
		}
		if total > enough {
			return fs.SkipAll
		}
		return nil
	})
	return total
}
