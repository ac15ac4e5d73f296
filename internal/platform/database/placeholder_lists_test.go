package database_test

import (
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
)

func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values     []int64
		list, args string
	}{
		{nil, "(NULL)", "[]"},
		{[]int64{7}, "($3)", "[7]"},
		{[]int64{1, 2, 3}, "($3, $4, $5, $6)", "[1 2 3 3]"},
		{[]int64{1, 2, 3, 4}, "($3, $4, $5, $6)", "[1 2 3 4]"},
	} {
		list, args := database.In(3, c.values)
		if list != c.list || fmt.Sprint(args) != c.args {
			t.Errorf("%v: got %s and %v, want %s and %s", c.values, list, args, c.list, c.args)
		}
	}
}

func TestChunks(t *testing.T) {
	t.Parallel()
	values := make([]int, 41)
	for i := range values {
		values[i] = i
	}
	for _, c := range []struct{ n, chunks, width int }{{0, 0, 0}, {1, 1, 1}, {2, 1, 8}, {8, 1, 8}, {9, 1, 32}, {33, 2, 1},
		{41, 2, 32}} {
		chunks := database.Chunks(values[:c.n])
		if len(chunks) != c.chunks {
			t.Errorf("%d values: got %d chunks, want %d", c.n, len(chunks), c.chunks)
			continue
		}
		if c.n == 0 {
			continue
		}
		last := chunks[c.chunks-1]
		if len(last) != c.width || last[0] != (c.chunks-1)*32 || last[len(last)-1] != c.n-1 {
			t.Errorf("%d values: the last chunk is %v, want %d wide and padded with %d", c.n, last, c.width, c.n-1)
		}
	}
}
