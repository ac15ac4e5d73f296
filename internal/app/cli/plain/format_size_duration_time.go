package plain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Size is a number of bytes in a unit that keeps it short, as in 98 MB.
func Size(text string) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	for ; n >= 1000 && len(units) > 1; units = units[1:] {
		n /= 1000
	}
	switch {
	case units[0] == "bytes":
		return text // the member's name says what it counts
	case n < 10:
		return fmt.Sprintf("%.1f %s", n, units[0])
	}
	return fmt.Sprintf("%.0f %s", n, units[0])
}

// Duration is a number of nanoseconds in the unit that keeps it short, as in 3.63ms.
func Duration(value json.RawMessage, text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value[0] == '"' {
		return text
	}
	d := time.Duration(n)
	switch {
	case d >= 10*time.Second:
		d = d.Round(time.Second)
	case d >= 10*time.Millisecond:
		d = d.Round(time.Millisecond)
	case d >= 10*time.Microsecond:
		d = d.Round(10 * time.Microsecond)
	}
	return d.String()
}

// Moment is a time without fractions of a second, as a reader takes it in.
func Moment(text string) string { return momentIn(text, "2006-01-02 15:04:05") }

// WholeSecond is a time without fractions of a second, as programs read it.
func WholeSecond(text string) string { return momentIn(text, time.RFC3339) }

func momentIn(text, layout string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format(layout)
}

// Moments changes every time in the words of an object.
func Moments(text string, change func(string) string) string {
	return isMoment.ReplaceAllStringFunc(text, change)
}

var isMoment = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
