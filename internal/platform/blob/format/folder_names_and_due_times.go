package format

import (
	"fmt"
	"strconv"
	"time"
)

// Folders of a store.
const (
	ObjectsDir = "objects"
	UploadsDir = "uploads"
	DueDir     = "due"
)

// DueTime writes a time so that text sorts as time does.
func DueTime(t time.Time) string { return fmt.Sprintf("%020d", max(t.Unix(), 0)) }

// ParseDue reads what DueTime wrote.
func ParseDue(text string) (time.Time, bool) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err == nil && len(text) == 20
}
