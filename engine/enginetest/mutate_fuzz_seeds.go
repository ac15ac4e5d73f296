package enginetest

import (
	"slices"
	"testing"
)

// mutations is how many inputs are made of each seed.
const mutations = 64

// AddSeed adds a seed of a fuzz target and mutations of its texts, the same in
// every run, so that a test run looks around the seed as well.
func AddSeed(f *testing.F, seed ...any) {
	f.Helper()
	f.Add(seed...)
	state := uint64(len(seed))
	number := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state >> 33 % uint64(n))
	}
	for range mutations {
		args := slices.Clone(seed)
		for i := range args {
			switch v := args[i].(type) {
			case string:
				args[i] = string(mutate([]byte(v), number))
			case []byte:
				args[i] = mutate(slices.Clone(v), number)
			}
		}
		f.Add(args...)
	}
}

// mutate changes a text in one place: a bit, a byte, a cut, a repetition, the
// end, or something that parsers trip over.
func mutate(b []byte, number func(n int) int) []byte {
	odd := []string{
		"\x00", "\xff", `"`, `\`, "{", "]", ",", "\r\n", "-1", "1e999", "null", "\u0301", "\xed\xa0\x80", "../",
	}
	if len(b) == 0 {
		return []byte(odd[number(len(odd))])
	}
	at := number(len(b))
	to := at + number(min(len(b)-at, 32)+1)
	switch number(6) {
	case 0:
		b[at] ^= 1 << number(8)
	case 1:
		b[at] = byte(number(256))
	case 2:
		return slices.Delete(b, at, to)
	case 3:
		return slices.Insert(b, at, slices.Clone(b[at:to])...)
	case 4:
		return slices.Insert(b, at, []byte(odd[number(len(odd))])...)
	case 5:
		return b[:at]
	}
	return b
}
