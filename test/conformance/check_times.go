package conformance

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// beganVariable names the moment that servers start at, and rateVariable how
// fast their clocks run from there; `make times` sets them.
const (
	beganVariable = "STOA_BEGAN"
	rateVariable  = "STOA_RATE"
)

// Began is the moment every server starts at, so that a test may name dates.
func Began() time.Time {
	if text := os.Getenv(beganVariable); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(beganVariable + ": " + err.Error())
		}
		return at.UTC()
	}
	return time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
}

// rate is how fast the clocks run; 0 means that they stand still.
func rate() float64 {
	text := os.Getenv(rateVariable)
	if text == "" {
		return 0
	}
	r, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(rateVariable + ": " + err.Error())
	}
	return r
}

const (
	// farApart is how far the world's time is from the machine's for the two to be
	// told apart, with what is computed from them.
	farApart = 3 * 365 * 24 * time.Hour
	// nearby is how near to the machine's clock a time is taken from it: longer than
	// every lifetime that services give, but for a few.
	nearby = 400 * 24 * time.Hour
	// nearbyNumber is the same for a bare number, which may mean anything else.
	nearbyNumber = 2 * 24 * time.Hour
)

// versionName looks like a date and is the name of the events service's version.
const versionName = "2026-03-10"

// Forms in which answers show times.
var (
	dated    = regexp.MustCompile(`\b(\d{4})[-/](\d{2})[-/](\d{2})(?:T|\b)`)
	worded   = regexp.MustCompile(`\b[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\b`)
	numbered = regexp.MustCompile(`\b\d{10}(\d{3}|\d{6}|\d{9})?\b`)
)

// checkTimes fails where an answer shows the machine's time instead of the
// world's. It needs a world whose time is far from the machine's.
func checkTimes(t *testing.T, world time.Time, what string, header http.Header, body []byte) {
	t.Helper()
	machine := time.Now()
	if world.Sub(machine).Abs() < farApart {
		return
	}
	for name, values := range header {
		for _, value := range values {
			for _, found := range machineTimes(machine, value) {
				t.Errorf("%s: the header %s shows the machine's time %s: %s", what, name, found, value)
			}
		}
	}
	if at, err := http.ParseTime(header.Get("Date")); err != nil || at.Sub(world).Abs() > nearby {
		t.Errorf("%s: Date is %q, want the world's %s", what, header.Get("Date"), world.Format(http.TimeFormat))
	}
	for _, found := range machineTimes(machine, string(body)) {
		t.Errorf("%s: the body shows the machine's time %s: %.2000s", what, found, body)
	}
}

// machineTimes finds what is near to the machine's time.
func machineTimes(machine time.Time, text string) (found []string) {
	near := func(at time.Time, by time.Duration) bool { return at.Sub(machine).Abs() < by }
	for _, m := range dated.FindAllStringSubmatch(text, -1) {
		at, err := time.Parse(time.DateOnly, fmt.Sprintf("%s-%s-%s", m[1], m[2], m[3]))
		if err == nil && near(at, nearby) && m[0] != versionName {
			found = append(found, m[0])
		}
	}
	for _, m := range worded.FindAllString(text, -1) {
		if at, err := http.ParseTime(m); err == nil && near(at, nearby) {
			found = append(found, m)
		}
	}
	for _, m := range numbered.FindAllString(text, -1) {
		n, err := strconv.ParseInt(m, 10, 64)
		if err != nil {
			continue
		}
		unit := map[int]time.Duration{10: time.Second, 13: time.Millisecond, 16: time.Microsecond, 19: time.Nanosecond}
		seconds := n / int64(time.Second/unit[len(m)])
		if near(time.Unix(seconds, 0), nearbyNumber) {
			found = append(found, m)
		}
	}
	return found
}
