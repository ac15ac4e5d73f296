package jobs

import (
	"slices"
	"strconv"
	"strings"
)

// widths are the lengths that lists of values come in. Shorter ones are padded,
// so that each statement has few texts, each prepared once.
const (
	narrow = 1
	middle = 8
	wide   = 32
)

// chunk is a part of a list, padded to a width by repeating its last value.
type chunk []any

// chunks cuts values into parts of one of the widths.
func chunks[T any](values []T) (parts []chunk) {
	for part := range slices.Chunk(values, wide) {
		width := wide
		switch {
		case len(part) <= narrow:
			width = narrow
		case len(part) <= middle:
			width = middle
		}
		c := make(chunk, width)
		for i := range c {
			c[i] = part[min(i, len(part)-1)]
		}
		parts = append(parts, c)
	}
	return parts
}

// list is "$n, $n+1, …" for the chunk's values.
func (c chunk) list(first int) string { return parameters(first, len(c)) }

// rows is "($n), ($n+1), …", for VALUES.
func (c chunk) rows(first int) string {
	return "(" + strings.Join(names(first, len(c)), "), (") + ")"
}

// parameters is "$n, $n+1, …".
func parameters(first, n int) string { return strings.Join(names(first, n), ", ") }

func names(first, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "$" + strconv.Itoa(first+i)
	}
	return names
}
