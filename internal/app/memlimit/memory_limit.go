package memlimit

import (
	"context"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/sqliteheap"
)

// What the runtime is told to stay below leaves the rest to what it does not count: the
// database's own memory, programs that the server runs, and the page cache of its files.
const (
	// share is that part of the machine's or container's memory, in percent.
	share = 80
	// leastRest is what is left at least, but no more than half of it all.
	leastRest = 40 << 20
)

// runtimePart is what the runtime is told of a bound.
func runtimePart(bytes int64) int64 {
	return max(bytes/2, min(bytes/100*share, bytes-leastRest))
}

// Limit is what the process may use.
type Limit struct {
	// Bytes is the bound; zero means unknown.
	Bytes int64
	// Source says where the bound was found.
	Source string
}

// Find returns what this process may use: GOMEMLIMIT where an operator set it,
// else the smallest of its control groups and the machine.
func Find() Limit {
	if given := debug.SetMemoryLimit(-1); given != math.MaxInt64 {
		return Limit{Bytes: given, Source: "GOMEMLIMIT"}
	}
	return readLimit("/")
}

// readLimit finds the smallest bound below root, the folder that holds
// proc and sys.
func readLimit(root string) Limit {
	found := Limit{}
	consider := func(bytes int64, source string) {
		if bytes > 0 && (found.Bytes == 0 || bytes < found.Bytes) {
			found = Limit{Bytes: bytes, Source: source}
		}
	}
	consider(machineMemory(root), "the machine")
	for _, file := range groupFiles(root) {
		consider(numberIn(file), "the control group")
	}
	return found
}

// machineMemory is MemTotal of /proc/meminfo.
func machineMemory(root string) int64 {
	text, err := os.ReadFile(path.Join(root, "proc/meminfo"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemTotal:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return kilobytes << 10
		}
	}
	return 0
}

// groupFiles are the files that bound this process's control group and those
// above it, in both versions of the interface. Inside a container the group's
// own folder is mounted at the top, whatever path the kernel names.
func groupFiles(root string) []string {
	base := path.Join(root, "sys/fs/cgroup")
	files := []string{path.Join(base, "memory.max"), path.Join(base, "memory/memory.limit_in_bytes")}
	text, err := os.ReadFile(path.Join(root, "proc/self/cgroup"))
	if err != nil {
		return files
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		folder, file := base, "memory.max"
		if parts[1] == "memory" {
			folder, file = path.Join(base, "memory"), "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for group := path.Clean("/" + parts[2]); group != "/"; group = path.Dir(group) {
			files = append(files, path.Join(folder, group, file))
		}
	}
	return files
}

// numberIn is the number that a file holds; zero when it holds none ("max") or
// is not there.
func numberIn(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n >= math.MaxInt64/2 { // version 1 writes a number near the largest for none
		return 0
	}
	return n
}

// Apply has the garbage collector work harder before the machine or the container
// runs out. An operator's own GOMEMLIMIT stays.
func Apply() {
	limit := Find()
	if limit.Bytes > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(runtimePart(limit.Bytes))
	}
}

// Release gives memory back that only the start needed: hashing the first password
// alone takes 19 MiB, and most of the program's code runs once.
func Release() {
	debug.FreeOSMemory()
	// What the system does not take back is used again.
	_ = sqliteheap.Trim()
	releaseProgram()
}

// settleTime is how long jobs of the start run after it.
const settleTime = time.Second

// ReleaseStart is Release, and once more what the first jobs have read of the program,
// unless the context ends before.
func ReleaseStart(ctx context.Context) {
	Release()
	go func() {
		if clock.Sleep(ctx, clock.Real(), settleTime) == nil {
			releaseProgram()
		}
	}()
}
