package nearest

import (
	"iter"
	"strings"
)

// Path says which of the patterns, each after its method, is most like a path that is
// not there, as the end of a sentence; empty where none is like it.
func Path(patterns iter.Seq2[string, string], method, path string) string {
	best, least := "", maxDistance+1
	for of, pattern := range patterns {
		d := pathDistance(pattern, path)
		if of != "" && of != method && !(of == "GET" && method == "HEAD") {
			d++
		}
		if d < least {
			best, least = strings.TrimSpace(of+" "+pattern), d
		}
	}
	if best == "" {
		return ""
	}
	return "; the nearest path that exists is " + best
}

// maxDistance is how different a path may be and still be called near.
const maxDistance = 12

// pathDistance counts what has to change: letters within segments, three for a
// segment too many or too few.
func pathDistance(pattern, path string) int {
	want, got := segments(strings.TrimSuffix(pattern, "{$}")), segments(path)
	sum := 0
	for i := range max(len(want), len(got)) {
		switch {
		case i < len(want) && strings.HasPrefix(want[i], "{") && strings.Contains(want[i], "...}"):
			return sum
		case i >= len(want) || i >= len(got):
			sum += 3
		case !strings.HasPrefix(want[i], "{"):
			sum += wordDistance(want[i], got[i])
		}
		if sum > maxDistance {
			break
		}
	}
	return sum
}

func segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// wordDistance is the number of letters to insert, delete or replace, too many where
// most of the word is another.
func wordDistance(a, b string) int {
	if a == b {
		return 0
	}
	const longest = 64
	if len(a) > longest || len(b) > longest || max(len(a), len(b))-min(len(a), len(b)) > maxDistance {
		return maxDistance + 1
	}
	var row [longest + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, before+1, row[j]+1)
		}
	}
	if d := row[len(b)]; d <= max(2, max(len(a), len(b))/2) {
		return d
	}
	return maxDistance + 1
}
