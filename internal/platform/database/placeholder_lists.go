package database

import (
	"slices"
	"strconv"
	"strings"
)

// Placeholders is "$first, $first+1, …" for n arguments of a statement.
func Placeholders(first, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(first + i))
	}
	return b.String()
}

// In writes the list of parameters for "column IN (…)", numbered from first, and
// gives the arguments. The length is rounded up by repeating the last value, so
// that lists of any length share a few statements, which stay prepared. An empty
// list is one NULL, which nothing is equal to.
func In[T any](first int, values []T) (list string, args []any) {
	if len(values) == 0 {
		return "(NULL)", nil
	}
	size := 1
	for size < len(values) {
		size *= 2
	}
	return "(" + Placeholders(first, size) + ")", pad(values, size)
}

// Chunks cuts values into lists of 1, 8 or 32 arguments, padded by repeating
// the last value. It is for statements that run often with lists of any
// length: each has three texts, which stay prepared.
func Chunks[T any](values []T) (chunks [][]any) {
	const narrow, middle, wide = 1, 8, 32
	for part := range slices.Chunk(values, wide) {
		width := wide
		switch {
		case len(part) <= narrow:
			width = narrow
		case len(part) <= middle:
			width = middle
		}
		chunks = append(chunks, pad(part, width))
	}
	return chunks
}

func pad[T any](values []T, size int) []any {
	args := make([]any, size)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return args
}
