package clock

import (
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// FormatDuration writes a duration in the form that ParseDuration reads: whole days as 400d, the rest
// without the parts that are zero, as in 15m, 1h30m and 36h.
func FormatDuration(d time.Duration) string {
	if d != 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
