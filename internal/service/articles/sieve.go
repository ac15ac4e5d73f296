package articles

import (
	"context"
	"math/bits"
	"sync"

	"stoa.dev/stoa/internal/platform/database"
)

// The bounds of the words that are kept in memory. Whoever writes an item enters
// it in each of them, so their number is bounded too.
const (
	sieveBytes = 16 << 20
	sieveWords = 4096
)

// sieve remembers which items hold the words that people look for, one bit for
// each item, so that a search for common words need not walk through the items
// that hold them. The first search for a word asks the text index; every change
// of an item is entered before its writer is answered. It is exact where one
// process owns the database, and is used nowhere else.
type sieve struct {
	mu sync.RWMutex
	// generation grows with every change. What was read before one and arrives
	// after it is not kept.
	generation uint64
	words      map[string]*posting
	// bytes is what the words weigh.
	bytes int
}

// posting is the items that hold a word: bit n is item number n.
type posting struct {
	bits []uint64
	// common words are dear to look up again.
	common bool
}

// commonFrom is how many items make a word common.
const commonFrom = 2000

func (p *posting) put(number int64, in bool) {
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

// note enters how an item is now, once tx has committed; no words mean that it is
// not found any more.
func (v *sieve) note(tx *database.Tx, number int64, e entry) {
	tx.OnCommit(func() { v.enter(number, e) })
}

func (v *sieve) enter(number int64, e entry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.generation++
	if len(v.words) == 0 {
		return
	}
	has := e.keys()
	for word, p := range v.words {
		v.bytes -= p.bytes()
		p.put(number, has[word])
		v.bytes += p.bytes()
	}
	v.makeRoom(0)
}

// key is what a term of one word is kept under: the word, and before it the part
// of the item that it must be in.
func (t term) key() string {
	if t.field == fieldText || t.field == fieldFacet {
		return t.words[0]
	}
	return string(t.field) + ":" + t.words[0]
}

// keys are those of all terms that an item answers to.
func (e entry) keys() map[string]bool {
	has := map[string]bool{}
	for _, part := range []struct {
		words  []string
		fields []field
	}{{e.title, []field{fieldTitle}}, {e.body, []field{fieldBody}}, {e.code, []field{fieldBody, fieldCode}}, {e.facets, nil}} {
		for _, w := range part.words {
			has[w] = true
			for _, f := range part.fields {
				has[string(f)+":"+w] = true
			}
		}
	}
	return has
}

// simple reports whether the sieve can answer: whole words and facets, no phrases.
func (q query) simple() bool {
	if q.order != "" || hasRows(q.groups) {
		return false
	}
	for _, g := range q.groups {
		for _, t := range g.words {
			if len(t.words) != 1 || t.open {
				return false
			}
		}
	}
	return true
}

// unknown are the words of a query that were not looked for yet.
func (v *sieve) unknown(q query) (list []term, generation uint64) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, g := range q.groups {
		for _, t := range g.words {
			if v.words[t.key()] == nil {
				list = append(list, t)
			}
		}
	}
	return list, v.generation
}

// keep remembers a word, unless something changed while it was looked up.
func (v *sieve) keep(generation uint64, word string, numbers []int64) {
	p := &posting{common: len(numbers) >= commonFrom}
	if len(numbers) > 0 {
		p.bits = make([]uint64, 0, numbers[len(numbers)-1]>>6+64)
	}
	for _, n := range numbers {
		p.put(n, true)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.generation != generation {
		return
	}
	if v.words == nil {
		v.words = map[string]*posting{}
	}
	v.drop(word) // somebody looked for it at the same time
	v.makeRoom(p.bytes())
	v.words[word] = p
	v.bytes += p.bytes()
}

// makeRoom drops words until there is room for one more, those that are cheap to
// look up again first.
func (v *sieve) makeRoom(size int) {
	for _, common := range []bool{false, true} {
		for word, p := range v.words {
			if v.bytes+size <= sieveBytes && len(v.words) < sieveWords {
				return
			}
			if p.common == common {
				v.drop(word)
			}
		}
	}
}

func (v *sieve) drop(word string) {
	if p := v.words[word]; p != nil {
		v.bytes -= p.bytes()
		delete(v.words, word)
	}
}

// find lists the newest items that a query finds and counts them all. It fails
// when a word is not known any more.
func (v *sieve) find(q query, c cut) (list []int64, total int64, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var all []uint64
	for n, g := range q.groups {
		found, ok := v.group(g)
		if !ok {
			return nil, 0, false
		}
		if n == 0 {
			all = found
			continue
		}
		for len(all) < len(found) {
			all = append(all, 0)
		}
		for i := range found {
			all[i] |= found[i]
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		for set := all[i]; set != 0; {
			bit := 63 - bits.LeadingZeros64(set)
			if total >= c.offset+c.limit {
				// The page is full: what is left is only counted.
				total += int64(bits.OnesCount64(set))
				break
			}
			if total >= c.offset {
				list = append(list, int64(i)<<6|int64(bit))
			}
			total++
			set &^= 1 << bit
		}
	}
	return list, total, true
}

// group is where all terms hold.
func (v *sieve) group(g group) ([]uint64, bool) {
	var out []uint64
	for _, not := range []bool{false, true} {
		for _, t := range g.words {
			if t.not != not {
				continue
			}
			p := v.words[t.key()]
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

// sift answers a search from memory, after looking up the words that are new.
func (s *Service) sift(ctx context.Context, q query, c cut) (list []int64, total int64, ok bool, err error) {
	if !s.keeps() || !q.simple() {
		return nil, 0, false, nil
	}
	words, generation := s.sieve.unknown(q)
	for _, t := range words {
		numbers, err := s.store.holders(ctx, s.world.DB, t)
		if err != nil {
			return nil, 0, false, err
		}
		s.sieve.keep(generation, t.key(), numbers)
	}
	list, total, ok = s.sieve.find(q, c)
	return list, total, ok, nil
}
