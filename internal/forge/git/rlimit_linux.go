package git

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// shell starts a program within its limits: they hold before its first
// instruction, and for every program that it starts. What cannot be set is not
// run.
func (l limits) shell() []string {
	var text strings.Builder
	set := func(resource int, letter string, value int64, unit uint64) {
		fmt.Fprintf(&text, "ulimit -%s %d && ", letter, min(uint64(max(value, 0)), hardLimit(resource))/unit)
	}
	set(unix.RLIMIT_CORE, "c", 0, 512)
	// Data is what a program makes for itself; the address space counts the
	// packs that it maps to read them as well.
	set(unix.RLIMIT_DATA, "d", l.memory, 1024)
	set(unix.RLIMIT_AS, "v", l.memory+l.mapped, 1024)
	set(unix.RLIMIT_CPU, "t", int64(l.processor.Seconds()), 1)
	set(unix.RLIMIT_FSIZE, "f", l.file, 512)
	text.WriteString(`exec "$@"; echo "the limits of git could not be set" >&2; exit 125`)
	return []string{"/bin/sh", "-c", text.String(), "git"}
}

// hardLimit is how far a limit may be raised from where the process is.
func hardLimit(resource int) uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(resource, &r); err != nil {
		return ^uint64(0)
	}
	return r.Max
}
