package fuzztest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	// Mutations is how many inputs are made of each seed.
	Mutations = 64
	// fewest is what a large seed gets.
	fewest = 8
	// share bounds the bytes that the mutations of one seed have together: a parser
	// takes as long as its input is, and most places of a large one are like others.
	share = 64 << 10
	// maxSeed bounds the seeds that are mutated: a large one takes long and shows
	// little.
	maxSeed = 64 << 10
)

// mutationsOf is how many inputs are made of a seed of that many bytes.
func mutationsOf(size int) int { return max(fewest, min(Mutations, share/max(size, 1))) }

// Strings adds the seeds and mutations of them to a target that takes a string.
func Strings(f *testing.F, seeds ...string) {
	f.Helper()
	raw := make([][]byte, len(seeds))
	for i, s := range seeds {
		raw[i] = []byte(s)
	}
	if !searching() {
		raw = grow(raw)
	}
	for _, b := range raw {
		f.Add(string(b))
	}
}

// Bytes adds the seeds and mutations of them to a target that takes bytes.
func Bytes(f *testing.F, seeds ...[]byte) {
	f.Helper()
	if !searching() {
		seeds = grow(seeds)
	}
	for _, b := range seeds {
		f.Add(b)
	}
}

// Add adds one seed of a target that takes several arguments, and mutations of the
// strings and byte slices in it, one argument at a time.
func Add(f *testing.F, seed ...any) {
	f.Helper()
	if searching() {
		f.Add(seed...)
		return
	}
	for _, args := range growArguments(seed) {
		f.Add(args...)
	}
}

// searching reports whether go test -fuzz runs, which mutates by itself and would
// spend its time on measuring our mutations first.
func searching() bool {
	return slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.fuzz=") })
}

// growArguments is the seed and its mutations.
func growArguments(seed []any) [][]any {
	var at []int
	var texts [][]byte
	size := 0
	for i, arg := range seed {
		var text []byte
		switch v := arg.(type) {
		case string:
			text = []byte(v)
		case []byte:
			text = v
		default:
			continue
		}
		if len(text) <= maxSeed {
			at, texts, size = append(at, i), append(texts, text), size+len(text)
		}
	}
	out := [][]any{seed}
	if len(texts) == 0 {
		return out
	}
	r := new(sequence)
	for n := range mutationsOf(size) {
		args, one := append([]any(nil), seed...), n%len(texts)
		b := mutate(r, append([]byte(nil), texts[one]...), texts)
		if _, ok := args[at[one]].(string); ok {
			args[at[one]] = string(b)
		} else {
			args[at[one]] = b
		}
		out = append(out, args)
	}
	return out
}

// grow is the seeds and their mutations.
func grow(seeds [][]byte) [][]byte {
	r := new(sequence)
	out := append([][]byte(nil), seeds...)
	for _, seed := range seeds {
		if len(seed) > maxSeed {
			continue
		}
		for range mutationsOf(len(seed)) {
			b := append([]byte(nil), seed...)
			for range 1 + r.IntN(3) {
				b = mutate(r, b, seeds)
			}
			out = append(out, b)
		}
	}
	return out
}

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
