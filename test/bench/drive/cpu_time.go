package drive

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processorTime is what a process used of the processors between two moments.
// It moves far less than a rate when other machines share the processors.
func processorTime(pid int, begin, end time.Time) time.Duration {
	if pid == 0 {
		return 0
	}
	time.Sleep(time.Until(begin))
	before := usedBy(pid)
	time.Sleep(time.Until(end))
	return usedBy(pid) - before
}

// usedBy reads user and system time of all threads, which Linux counts in
// hundredths of a second, fields 14 and 15 of stat. It is 0 elsewhere.
func usedBy(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in field 2 stands in parentheses and may hold spaces.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
