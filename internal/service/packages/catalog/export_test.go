package catalog

// Compare orders two versions by the system's own rule.
func Compare(s System, a, b string) int { return compareOrdered(NewOrdered(s, a), NewOrdered(s, b)) }
