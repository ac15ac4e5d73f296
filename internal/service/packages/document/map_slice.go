package document

// Convert converts a list; the result is never nil, so that it prints as [].
func Convert[A, B any](list []A, convert func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = convert(a)
	}
	return out
}
