package adversary

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Resident is the resident memory of a process in bytes.
func Resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "VmRSS:" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("the process has no resident memory: it has ended")
}

// Heap is what a server says of its heap and stacks in bytes.
func Heap(metrics string) (int64, error) {
	res, err := http.Get(metrics)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }() // read whole
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	total := 0.0
	for line := range strings.Lines(string(text)) {
		for _, name := range []string{"go_memstats_heap_inuse_bytes ", "go_memstats_stack_inuse_bytes "} {
			if value, ok := strings.CutPrefix(line, name); ok {
				n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				if err != nil {
					return 0, err
				}
				total += n
			}
		}
	}
	return int64(total), nil
}
