package memorydiskuse

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machineMemory is what the machine has, or the container when that is less;
// zero when neither says.
func machineMemory() int64 {
	var limit int64
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		limit = int64(uint64(info.Totalram) * uint64(info.Unit))
	}
	// A container sees its own group here; a file that is missing bounds nothing.
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return limit
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 &&
		(limit == 0 || n < limit) {
		limit = n
	}
	return limit
}
