package search

import (
	"context"
	"math/bits"
	"sync"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
)

// A write enters its item in every word that is kept, so their number is bounded
// too.
const (
	maxPostingBytes = 16 << 20
	maxPostings     = 4096
)

// postingCache keeps which items hold the words that were searched for, one bit for
// each item, so that a search for common words need not read through the items that
// hold them. The first search for a word asks the text index; every change of an
// item is entered when it is committed. It is exact where one process owns the
// database, and is used on SQLite only.
type postingCache struct {
	mu sync.RWMutex
	// generation grows with every change. What was read before one and arrives
	// after it is not kept.
	generation uint64
	words      memo.Map[string, *posting]
	bytes      int
}

// posting is the items that hold a word: bit n is item number n.
type posting struct {
	bits []uint64
	// common words take long to read again.
	common bool
}

// minCommon is how many items make a word common.
const minCommon = 2000

func (p *posting) set(number int64, in bool) {
	at := int(number >> 6)
	if at >= len(p.bits) {
		if !in {
			return
		}
		p.bits = append(p.bits, make([]uint64, at+1-len(p.bits))...)
	}
	if in {
		p.bits[at] |= 1 << (number & 63)
	} else {
		p.bits[at] &^= 1 << (number & 63)
	}
}

func (p *posting) bytes() int { return 8 * cap(p.bits) }

// update enters how an item is now; an empty entry means that it is not found any
// more.
func (c *postingCache) update(number int64, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	if c.words.Len() == 0 {
		return
	}
	has := e.keys()
	for word, p := range c.words.Entries() {
		c.bytes -= p.bytes()
		p.set(number, has[word])
		c.bytes += p.bytes()
	}
	c.evict(0)
}

// key is what a term of one word is kept under: the word, and before it the part
// of the item that it must be in.
func (t term) key() string {
	if t.field == fieldText || t.field == fieldFacet {
		return t.words[0]
	}
	return string(t.field) + ":" + t.words[0]
}

// keys are those of all terms that find an item.
func (e entry) keys() map[string]bool {
	has := map[string]bool{}
	for _, part := range []struct {
		words  []string
		fields []field
	}{
		{e.title, []field{fieldTitle}}, {e.body, []field{fieldBody}},
		{e.code, []field{fieldBody, fieldCode}}, {e.facets, nil},
	} {
		for _, w := range part.words {
			has[w] = true
			for _, f := range part.fields {
				has[string(f)+":"+w] = true
			}
		}
	}
	return has
}

// missing are the terms of a query that are not kept.
func (c *postingCache) missing(q Query) (list []term, generation uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, g := range q.groups {
		for _, t := range g.words {
			if _, kept := c.words.Get(t.key()); !kept {
				list = append(list, t)
			}
		}
	}
	return list, c.generation
}

// put keeps a word, unless an item changed while it was read.
func (c *postingCache) put(generation uint64, word string, numbers []int64) {
	p := &posting{common: len(numbers) >= minCommon}
	if len(numbers) > 0 {
		p.bits = make([]uint64, 0, numbers[len(numbers)-1]>>6+64)
	}
	for _, n := range numbers {
		p.set(n, true)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	c.forget(word) // another search read it at the same time
	c.evict(p.bytes())
	c.words.Set(word, p)
	c.bytes += p.bytes()
}

// evict drops words until size bytes are free, the rare ones first.
func (c *postingCache) evict(size int) {
	for _, common := range []bool{false, true} {
		for word, p := range c.words.Entries() {
			if c.bytes+size <= maxPostingBytes && c.words.Len() < maxPostings {
				return
			}
			if p.common == common {
				c.forget(word)
			}
		}
	}
}

func (c *postingCache) forget(word string) {
	if p, ok := c.words.Get(word); ok {
		c.bytes -= p.bytes()
		c.words.Delete(word)
	}
}

// find lists the newest items that a query finds and counts them all. It fails
// when a word is not kept any more.
func (c *postingCache) find(q Query, f Filter) (list []int64, total int64, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var all []uint64
	for _, g := range q.groups {
		found, ok := c.group(g)
		if !ok {
			return nil, 0, false
		}
		if len(all) < len(found) {
			all, found = found, all
		}
		for i := range found {
			all[i] |= found[i]
		}
	}
	first := f.Page.Offset()
	for i := len(all) - 1; i >= 0; i-- {
		for set := all[i]; set != 0; {
			bit := 63 - bits.LeadingZeros64(set)
			if total >= first+int64(f.Page.Size) {
				// The page is full: what is left is only counted.
				total += int64(bits.OnesCount64(set))
				break
			}
			if total >= first {
				list = append(list, int64(i)<<6|int64(bit))
			}
			total++
			set &^= 1 << bit
		}
	}
	return list, total, true
}

// group is where all terms hold, in bits of its own.
func (c *postingCache) group(g group) ([]uint64, bool) {
	var out []uint64
	for _, not := range []bool{false, true} {
		for _, t := range g.words {
			if t.not != not {
				continue
			}
			p, _ := c.words.Get(t.key())
			switch {
			case p == nil:
				return nil, false
			case out == nil:
				out = append(make([]uint64, 0, len(p.bits)+1), p.bits...)
			default:
				combine(out, p.bits, not)
			}
		}
	}
	return out, true
}

// combine keeps what both hold, or what only the first does.
func combine(out, other []uint64, not bool) {
	for i := range out {
		var word uint64
		if i < len(other) {
			word = other[i]
		}
		if not {
			word = ^word
		}
		out[i] &= word
	}
}

// findPostings answers a search from memory, after reading the words that are not
// kept.
func (x *Index) findPostings(ctx context.Context, db database.Querier, q Query, f Filter) (
	list []int64, total int64, ok bool, err error,
) {
	missing, generation := x.postings.missing(q)
	for _, t := range missing {
		numbers, err := itemsWith(ctx, db, t)
		if err != nil {
			return nil, 0, false, err
		}
		x.postings.put(generation, t.key(), numbers)
	}
	list, total, ok = x.postings.find(q, f)
	return list, total, ok, nil
}
