package articles

import (
	"strconv"
	"testing"
)

// weighed adds up what the words of a sieve weigh.
func weighed(v *sieve) (n int) {
	for _, p := range v.words {
		n += p.bytes()
	}
	return n
}

// TestSieveIsBounded looks for more words than there is room for, for the same
// words at once, and writes items while they are kept.
func TestSieveIsBounded(t *testing.T) {
	t.Parallel()
	t.Run("words that nobody wrote", func(t *testing.T) {
		t.Parallel()
		var v sieve
		for n := range 3 * sieveWords {
			v.keep(0, strconv.Itoa(n), nil)
		}
		if len(v.words) > sieveWords {
			t.Errorf("%d words are kept, want %d at most", len(v.words), sieveWords)
		}
	})
	t.Run("a word looked for twice at once", func(t *testing.T) {
		t.Parallel()
		var v sieve
		for range 10 {
			v.keep(0, "0wgo", []int64{1, 1000})
		}
		if want := weighed(&v); v.bytes != want || len(v.words) != 1 {
			t.Errorf("%d words weigh %d, want 1 of %d", len(v.words), v.bytes, want)
		}
	})
	t.Run("words that grow", func(t *testing.T) {
		t.Parallel()
		var v sieve
		e := entry{}
		for n := range 100 {
			word := strconv.Itoa(n)
			v.keep(0, word, []int64{1})
			e.body = append(e.body, word)
		}
		for number := int64(1); number < 1<<24; number *= 4 {
			v.enter(number, e)
			if want := weighed(&v); v.bytes != want || v.bytes > sieveBytes {
				t.Fatalf("item %d: %d bytes are counted and %d kept, want %d at most", number, v.bytes, want, sieveBytes)
			}
		}
	})
}
