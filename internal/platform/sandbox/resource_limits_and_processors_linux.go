package sandbox

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// limits is the shell text that binds the program before it starts. It runs
// inside the sandbox: processes are then counted there only, and no right is
// needed to set them. What it cannot set it does not run.
func limits(spec Spec, processes bool) string {
	var b strings.Builder
	set := func(resource int, letter string, value, unit uint64) {
		fmt.Fprintf(&b, "ulimit -%s %d && ", letter, min(value, hard(resource))/unit)
	}
	set(unix.RLIMIT_CORE, "c", 0, 512)
	set(unix.RLIMIT_NOFILE, "n", uint64(spec.Open), 1)
	set(unix.RLIMIT_FSIZE, "f", uint64(spec.FileSize), 512)
	// Data rather than address space: programs reserve address space by the
	// terabyte and use little of it.
	set(unix.RLIMIT_DATA, "d", uint64(spec.Memory), 1024)
	if processes {
		// One shell calls it p, the other u.
		n := min(uint64(spec.Processes), hard(unix.RLIMIT_NPROC))
		fmt.Fprintf(&b, "{ ulimit -p %d 2>/dev/null || ulimit -u %d; } && ", n, n)
	}
	return b.String() + `exec "$@"; echo "sandbox: the limits could not be set" >&2; exit 125`
}

// hard is how far a limit may be raised from where we are.
func hard(resource int) uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(resource, &r); err != nil {
		return ^uint64(0)
	}
	return r.Max
}

// affinity binds the calling thread to the given number of processors, for the
// program it is about to start, and returns what undoes that. Where a cgroup
// counts, or the kernel refuses, all processors stay.
func (s *Sandbox) affinity(cpus int) (restore func()) {
	nothing := func() {}
	if cpus <= 0 || s.config.Cgroup != "" {
		return nothing
	}
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil || before.Count() <= cpus {
		return nothing
	}
	all := processors(&before)
	from := int(s.turn.Add(uint32(cpus)))
	for i := range cpus {
		after.Set(all[(from+i)%len(all)])
	}
	if err := unix.SchedSetaffinity(0, &after); err != nil {
		return nothing
	}
	// It was this thread's own set, so the kernel takes it back.
	return func() { _ = unix.SchedSetaffinity(0, &before) }
}

func processors(set *unix.CPUSet) []int {
	var all []int
	for i := 0; len(all) < set.Count(); i++ {
		if set.IsSet(i) {
			all = append(all, i)
		}
	}
	return all
}
