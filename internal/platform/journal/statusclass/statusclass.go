package statusclass

import (
	"strconv"
	"strings"
)

// Status is a status that is looked for: one, a class such as 4xx, or any.
type Status struct{ low, high int }

// Parse reads "404" or "4xx"; empty is any.
func Parse(text string) (Status, bool) {
	if text == "" {
		return Status{}, true
	}
	if class, ok := strings.CutSuffix(strings.ToLower(text), "xx"); ok {
		n, err := strconv.Atoi(class)
		return Status{n * 100, n*100 + 99}, err == nil && n >= 1 && n <= 5
	}
	n, err := strconv.Atoi(text)
	return Status{n, n}, err == nil && n >= 100 && n <= 599
}

// Has reports whether the status is among those looked for.
func (s Status) Has(status int) bool { return s.high == 0 || status >= s.low && status <= s.high }

func (s Status) String() string {
	if s.low == s.high {
		return strconv.Itoa(s.low)
	}
	return strconv.Itoa(s.low/100) + "xx"
}
