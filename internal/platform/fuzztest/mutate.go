package fuzztest

// mutate changes b in one place.
func mutate(r *sequence, b []byte, seeds [][]byte) []byte {
	if len(b) == 0 {
		return []byte(pick(r, tokens()))
	}
	at := r.IntN(len(b))
	to := at + r.IntN(min(len(b)-at, 32)+1)
	switch r.IntN(7) {
	case 0:
		b[at] ^= 1 << r.IntN(8)
	case 1:
		b[at] = byte(r.IntN(256))
	case 2:
		return append(b[:at], b[to:]...)
	case 3:
		return insert(b, at, append([]byte(nil), b[at:to]...))
	case 4:
		return insert(b, at, []byte(pick(r, tokens())))
	case 5:
		return b[:at]
	case 6:
		other := seeds[r.IntN(len(seeds))]
		if len(other) > 0 && len(other) <= maxSeed {
			return append(b[:at], other[r.IntN(len(other)):]...)
		}
	}
	return b
}

func insert(b []byte, at int, part []byte) []byte {
	return append(b[:at], append(part, b[at:]...)...)
}

func pick(r *sequence, list []string) string { return list[r.IntN(len(list))] }

// sequence is numbers without a pattern, the same in every run (splitmix64).
type sequence uint64

// IntN is the next number below n.
func (s *sequence) IntN(n int) int {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// tokens are what parsers trip over.
func tokens() []string {
	return []string{
		"\x00", "\xff", "\"", "'", "\\", "{", "}", "[", "]", "(", ")", "<", ">", "<<", ">>", ":", ";", ",", "=", "&", "*",
		"%", "#", "@", "\n", "\r\n", "\t", " ", "-1", "0", "9223372036854775808", "1e999", "NaN", "null", "true", "\u0301",
		"\u202e", "\U0001f600", "\xed\xa0\x80", "../", "%2e%2e%2f", "%00",
	}
}
