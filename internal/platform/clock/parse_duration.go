package clock

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads text such as "1h30m", "7d" or "7d12h".
func ParseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return parseRest(text, text)
	}
	n, err := strconv.ParseFloat(days, 64)
	hours := n * 24
	if err == nil && math.Abs(hours) > math.MaxInt64/float64(time.Hour) {
		return 0, errors.New("must be at most 106751d, about 292 years, not " + strconv.Quote(text))
	}
	if err != nil || math.IsNaN(hours) {
		return 0, errors.New("must be a duration such as 90m, 1h30m or 7d, not " + strconv.Quote(text))
	}
	sum := time.Duration(hours * float64(time.Hour))
	if rest == "" {
		return sum, nil
	}
	more, err := parseRest(rest, text)
	return sum + more, err
}

func parseRest(rest, text string) (time.Duration, error) {
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, errors.New("must be a duration such as 90m, 1h30m or 7d, not " + strconv.Quote(text))
	}
	return d, nil
}
