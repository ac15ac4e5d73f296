package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cgroup bounds a run as a whole. All methods work on nil, which is a server
// without a delegated folder.
type cgroup struct {
	dir string
	fd  *os.File
	// full reports whether memory and processes are counted.
	full bool
}

// newCgroup makes a group for one run below the configured folder.
func (s *Sandbox) newCgroup(spec Spec) (*cgroup, error) {
	if s.config.Cgroup == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp(s.config.Cgroup, "run-")
	if err != nil {
		return nil, fmt.Errorf("%w: no cgroup below %s: %w; delegate the folder to the server (systemd: Delegate=yes)",
			ErrUnavailable, s.config.Cgroup, err)
	}
	g := &cgroup{dir: dir}
	limits := [][2]string{
		{"memory.max", strconv.FormatInt(spec.Memory, 10)},
		{"memory.swap.max", "0"},
		{"memory.oom.group", "1"},
		{"pids.max", strconv.Itoa(spec.Processes)},
	}
	if spec.CPU > 0 {
		limits = append(limits, [2]string{"cpu.max", fmt.Sprintf("%d 100000", spec.CPU*100_000)})
	}
	for _, l := range limits {
		if err := g.write(l[0], l[1]); err != nil && l[0] != "memory.swap.max" {
			g.remove()
			return nil, fmt.Errorf("%w: %s cannot be set in %s: %w; enable the controllers memory, pids and cpu in "+
				"its cgroup.subtree_control", ErrUnavailable, l[0], dir, err)
		}
	}
	if g.fd, err = os.Open(dir); err != nil {
		g.remove()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	g.full = true
	return g, nil
}

// place makes the process start its life in the group.
func (g *cgroup) place(attr *syscall.SysProcAttr) {
	if g != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(g.fd.Fd())
	}
}

func (g *cgroup) counts() bool { return g != nil && g.full }

func (g *cgroup) kill() {
	if g != nil {
		_ = g.write("cgroup.kill", "1") // kernels before 5.14 have no such file
	}
}

// write sets a value. The files are the kernel's; none is ever made.
func (g *cgroup) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(g.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// finish reads the account, removes the group and reports whether memory ran
// out.
func (g *cgroup) finish(u *Usage) (outOfMemory bool) {
	if g == nil {
		return false
	}
	defer g.remove()
	if peak := g.read("memory.peak"); peak != "" {
		u.Memory, _ = strconv.ParseInt(peak, 10, 64) // the kernel's own digits
	}
	return g.field("memory.events", "oom_kill") > 0
}

func (g *cgroup) read(name string) string {
	b, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

func (g *cgroup) field(file, name string) int64 {
	for line := range strings.Lines(g.read(file)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && key == name {
			n, _ := strconv.ParseInt(value, 10, 64) // the kernel's own digits
			return n
		}
	}
	return 0
}

// remove deletes the group. It is empty, but the kernel may need a moment.
func (g *cgroup) remove() {
	if g == nil {
		return
	}
	if g.fd != nil {
		_ = g.fd.Close() // only read from
	}
	for range 50 {
		if err := unix.Rmdir(g.dir); err == nil || os.IsNotExist(err) {
			return
		}
		// A pause; whether it was a whole one does not matter.
		_, _ = unix.Poll(nil, int((10 * time.Millisecond).Milliseconds()))
	}
}
