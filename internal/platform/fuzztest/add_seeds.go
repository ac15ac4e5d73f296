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
