package osprocess

import (
	"fmt"
	"os"
	"strings"
)

// Zombie reports whether a process has ended and its parent has not noticed.
func Zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "Z")
}
