package tasks

import (
	"strconv"
	"strings"
)

// A rank is a text of digits that orders siblings. Its first block has twenty
// digits and every further one ten; texts are compared as texts. Between any
// two ranks there is always another one: in the numbers of the first block in
// which they differ or, when those are neighbours, in one more block below the
// left one.
//
// A new rank is a small step away from the neighbour that was placed last, because
// tasks are mostly added one after another at the same place. That way a block takes
// ten million tasks at one place before a rank grows.

const (
	firstWidth, blockWidth = 20, 10

	// firstEnd and blockEnd are one above the largest number of a block.
	firstEnd = uint64(9_000_000_000_000_000_000)
	blockEnd = uint64(10_000_000_000)

	// step is the distance to a neighbour, for tasks that are inserted between them later.
	step = 1000

	// maxRank is the longest rank that is given. Databases bound what stands
	// in an index.
	maxRank = firstWidth + 10*blockWidth
)

// edge is the neighbour that was placed last.
type edge int

const (
	noEdge edge = iota
	leftEdge
	rightEdge
)

// rankBetween is a rank after left and before right; either may be empty for
// no neighbour on that side.
func rankBetween(left, right string, last edge) string {
	var b strings.Builder
	l, r := []byte(left), []byte(right)
	for depth := 0; ; depth++ {
		width, end := firstWidth, firstEnd
		if depth > 0 {
			width, end = blockWidth, blockEnd
		}
		low, lowGiven := cutBlock(&l, width)
		high, highGiven := cutBlock(&r, width)
		if !highGiven {
			high = end
		}
		if lowGiven && highGiven && low == high {
			writeBlock(&b, low, width)
			continue
		}
		if high-low > 1 {
			writeBlock(&b, between(low, high, lowGiven, highGiven, last), width)
			return b.String()
		}
		// Neighbours: go below the left one, where nothing is in the way.
		writeBlock(&b, low, width)
		r = nil
	}
}

// spacedRank is the short rank of the nth sibling, at the distance that lets a
// million siblings fit.
func spacedRank(n int) string {
	var b strings.Builder
	writeBlock(&b, firstEnd/4+uint64(n)*(firstEnd/4/1_000_000), firstWidth)
	return b.String()
}

// between picks a number inside the open interval.
func between(low, high uint64, lowGiven, highGiven bool, last edge) uint64 {
	gap := high - low
	switch {
	case highGiven && (last == rightEdge || !lowGiven) && gap > 2*step:
		return high - step
	case lowGiven && (last == leftEdge || !highGiven) && gap > 2*step:
		return low + step
	}
	return low + gap/2
}

// cutBlock takes the next number off a rank; a rank that has ended counts as
// zero from there on.
func cutBlock(rank *[]byte, width int) (uint64, bool) {
	if len(*rank) < width {
		*rank = nil
		return 0, false
	}
	n, err := strconv.ParseUint(string((*rank)[:width]), 10, 64)
	if err != nil {
		*rank = nil
		return 0, false
	}
	*rank = (*rank)[width:]
	return n, true
}

func writeBlock(b *strings.Builder, n uint64, width int) {
	text := strconv.FormatUint(n, 10)
	for range width - len(text) {
		b.WriteByte('0')
	}
	b.WriteString(text)
}
