package spelling

import "strings"

// Meant asks about the name that fewest letters are to change for; empty where none is near.
func Meant(text string, names []string) string {
	best, distance := "", len(text)/2+1
	for _, name := range names {
		if d := editDistance(strings.ToLower(name), strings.ToLower(text)); d < distance ||
			d == distance && best != "" && name < best {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// editDistance is how many letters differ.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := i
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
