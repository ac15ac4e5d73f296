package script

import (
	"context"
	"hash/fnv"
	"strings"
	"unicode"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/generate/api"
)

// Embed hashes words, pairs of words and triples of letters into a vector of
// length one: texts that share them are near each other.
func (b *Backend) Embed(_ context.Context, _ budget.Owner, m api.Model, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = hashFeatures(t, m.Dimensions)
	}
	return out, nil
}

func hashFeatures(s string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	add := func(feature string, weight float32) {
		h := fnv.New64a()
		h.Write([]byte(feature))
		sum := h.Sum64()
		if sum>>63 == 1 {
			weight = -weight
		}
		v[sum%uint64(dimensions)] += weight
	}
	before := ""
	separator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(s), separator) {
		add("w "+word, 1)
		if before != "" {
			add("p "+before+" "+word, 0.5)
		}
		letters := []rune("<" + word + ">")
		for i := 0; i+3 <= len(letters); i++ {
			add("t "+string(letters[i:i+3]), 0.25)
		}
		before = word
	}
	if before == "" {
		add("empty", 1)
	}
	return api.Unit(v)
}
