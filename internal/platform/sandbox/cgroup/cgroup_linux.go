package cgroup

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

// Limits bound a run as a whole.
type Limits struct {
	Memory    int64
	Processes int
	CPU       int // processors at once; zero is all
}

// Group is the cgroup of one run. All methods work on nil, which is a server
// without a delegated folder.
type Group struct {
	dir string
	fd  *os.File
}

// New makes a group for one run below the delegated folder.
func New(parent string, l Limits) (*Group, error) {
	dir, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return nil, fmt.Errorf("no cgroup below %s: %w; delegate the folder to the server (systemd: Delegate=yes)",
			parent, err)
	}
	g := &Group{dir: dir}
	values := [][2]string{
		{"memory.max", strconv.FormatInt(l.Memory, 10)},
		{"memory.swap.max", "0"},
		{"memory.oom.group", "1"},
		{"pids.max", strconv.Itoa(l.Processes)},
	}
	if l.CPU > 0 {
		values = append(values, [2]string{"cpu.max", fmt.Sprintf("%d 100000", l.CPU*100_000)})
	}
	for _, v := range values {
		if err := g.write(v[0], v[1]); err != nil && v[0] != "memory.swap.max" {
			g.Remove()
			return nil, fmt.Errorf("%s cannot be set in %s: %w; enable the controllers memory, pids and cpu in "+
				"its cgroup.subtree_control", v[0], dir, err)
		}
	}
	if g.fd, err = os.Open(dir); err != nil {
		g.Remove()
		return nil, err
	}
	return g, nil
}

// Place makes the process start its life in the group.
func (g *Group) Place(attr *syscall.SysProcAttr) {
	if g != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(g.fd.Fd())
	}
}

// Memory is what the run uses now.
func (g *Group) Memory() int64 {
	used, _ := strconv.ParseInt(g.read("memory.current"), 10, 64) // the kernel's own digits
	return used
}

// Kill ends all processes of the group.
func (g *Group) Kill() {
	if g != nil {
		_ = g.write("cgroup.kill", "1") // kernels before 5.14 have no such file
	}
}

// write sets a value. The files are the kernel's; none is ever made.
func (g *Group) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(g.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Finish reads the account and removes the group. peak is the largest memory of
// the run, zero where the kernel does not say.
func (g *Group) Finish() (peak int64, outOfMemory bool) {
	if g == nil {
		return 0, false
	}
	defer g.Remove()
	if text := g.read("memory.peak"); text != "" {
		peak, _ = strconv.ParseInt(text, 10, 64) // the kernel's own digits
	}
	return peak, g.field("memory.events", "oom_kill") > 0
}

func (g *Group) read(name string) string {
	b, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

func (g *Group) field(file, name string) int64 {
	for line := range strings.Lines(g.read(file)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && key == name {
			n, _ := strconv.ParseInt(value, 10, 64) // the kernel's own digits
			return n
		}
	}
	return 0
}

// Remove deletes the group. It is empty, but the kernel may need a moment.
func (g *Group) Remove() {
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
