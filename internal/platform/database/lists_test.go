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
		{[]int64{1, 2, 3}, "($3,$4,$5,$6)", "[1 2 3 3]"},
		{[]int64{1, 2, 3, 4}, "($3,$4,$5,$6)", "[1 2 3 4]"},
	} {
		list, args := database.In(3, c.values)
		if list != c.list || fmt.Sprint(args) != c.args {
			t.Errorf("%v: got %s and %v, want %s and %s", c.values, list, args, c.list, c.args)
		}
	}
}
