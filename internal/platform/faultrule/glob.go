package faultrule

// matchPath reports whether a text fits a pattern in which * stands for any text
// without a slash and ** for any text.
func matchPath(pattern, text string) bool {
	p, t := 0, 0
	// Where to go on after a mismatch: the latest star and the latest double one.
	star, starText := -1, 0
	double, doubleText := -1, 0
	for t < len(text) || p < len(pattern) {
		switch {
		case p+1 < len(pattern) && pattern[p] == '*' && pattern[p+1] == '*':
			p += 2
			double, doubleText, star = p, t, -1
		case p < len(pattern) && pattern[p] == '*':
			p++
			star, starText = p, t
		case p < len(pattern) && t < len(text) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0 && starText < len(text) && text[starText] != '/':
			starText++
			p, t = star, starText
		case double >= 0 && doubleText < len(text):
			doubleText++
			p, t, star = double, doubleText, -1
		default:
			return false
		}
	}
	return true
}

// matchText is matchPath for texts without segments: each star stands for any text.
func matchText(pattern, text string) bool {
	p, t := 0, 0
	star, starText := -1, 0
	for t < len(text) || p < len(pattern) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			p++
			star, starText = p, t
		case p < len(pattern) && t < len(text) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0 && starText < len(text):
			starText++
			p, t = star, starText
		default:
			return false
		}
	}
	return true
}
