package drive

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Resident is VmRSS in megabytes.
func Resident(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes / 1024, err
		}
	}
	return 0, fmt.Errorf("no VmRSS for process %d", pid)
}
