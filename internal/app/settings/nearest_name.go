package settings

// tolerated is how far a suggestion may be from what was written.
func tolerated(name string) int { return 1 + len(name)/4 }

// Near is the name that was probably meant, empty when none is near.
func Near(name string, names []string) string {
	near, distance := Nearest(name, names)
	if distance > tolerated(name) {
		return ""
	}
	return near
}

// Nearest is the name with the fewest letters to change, and how many those are.
func Nearest(name string, names []string) (string, int) {
	best, least := "", len(name)+1
	for _, candidate := range names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best, least
}

// distance counts the letters to insert, remove, replace or swap with a neighbour.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
