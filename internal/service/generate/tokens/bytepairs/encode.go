package bytepairs

import "math"

// Encode is the numbers and the words of a text of valid UTF-8.
func (v *Vocabulary) Encode(text string) (numbers []uint, words []string) {
	for len(text) > 0 {
		n := nextWord(text)
		word := text[:n]
		text = text[n:]
		if number, ok := v.ranks[word]; ok {
			numbers, words = append(numbers, number), append(words, word)
			continue
		}
		for ends, from := v.merge(word), 0; len(ends) > 0; ends = ends[1:] {
			part := word[from:ends[0]]
			from = ends[0]
			numbers, words = append(numbers, v.ranks[part]), append(words, part)
		}
	}
	return numbers, words
}

// merge joins the parts of a word, its bytes at first, pair by pair: always the
// pair whose word has the smallest number, the first of equals. It answers where
// each part ends. The time is the square of the word's length, which the caller
// bounds.
func (v *Vocabulary) merge(word string) []int {
	ends := make([]int, len(word))
	for i := range ends {
		ends[i] = i + 1
	}
	// ranks holds the number of each part joined with the next.
	ranks := make([]uint, len(ends))
	rank := func(i int) uint {
		if i+1 >= len(ends) {
			return math.MaxUint
		}
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		if r, ok := v.ranks[word[from:ends[i+1]]]; ok {
			return r
		}
		return math.MaxUint
	}
	for i := range ranks {
		ranks[i] = rank(i)
	}
	for {
		best := 0
		for i, r := range ranks {
			if r < ranks[best] {
				best = i
			}
		}
		if ranks[best] == math.MaxUint {
			return ends
		}
		ends = append(ends[:best], ends[best+1:]...)
		ranks = append(ranks[:best], ranks[best+1:]...)
		ranks[best] = rank(best)
		if best > 0 {
			ranks[best-1] = rank(best - 1)
		}
	}
}
