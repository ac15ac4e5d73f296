package search

import (
	"strconv"
	"testing"
)

// measured adds up the bytes of the words that are kept.
func measured(c *postingCache) (n int) {
	for _, p := range c.words.Entries() {
		n += p.bytes()
	}
	return n
}

// TestPostingsAreBounded searches for more words than may be kept, for the same
// word at once, and writes items while words are kept.
func TestPostingsAreBounded(t *testing.T) {
	t.Parallel()
	t.Run("words of no item", func(t *testing.T) {
		t.Parallel()
		var c postingCache
		for n := range 3 * maxPostings {
			c.put(0, strconv.Itoa(n), nil)
		}
		if c.words.Len() > maxPostings {
			t.Errorf("%d words are kept, want %d at most", c.words.Len(), maxPostings)
		}
	})
	t.Run("a word searched for twice at once", func(t *testing.T) {
		t.Parallel()
		var c postingCache
		for range 10 {
			c.put(0, "0wgo", []int64{1, 1000})
		}
		if want := measured(&c); c.bytes != want || c.words.Len() != 1 {
			t.Errorf("%d words have %d bytes, want 1 of %d", c.words.Len(), c.bytes, want)
		}
	})
	t.Run("words that grow", func(t *testing.T) {
		t.Parallel()
		var c postingCache
		e := entry{}
		for n := range 100 {
			word := strconv.Itoa(n)
			c.put(0, word, []int64{1})
			e.body = append(e.body, word)
		}
		for number := int64(1); number < 1<<24; number *= 4 {
			c.update(number, e)
			if want := measured(&c); c.bytes != want || c.bytes > maxPostingBytes {
				t.Fatalf("item %d: %d bytes are counted and %d kept, want %d at most", number, c.bytes, want,
					maxPostingBytes)
			}
		}
	})
}
