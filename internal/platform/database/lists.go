package database

import (
	"strconv"
	"strings"
)

// In writes the list of parameters for "column IN (…)", numbered from first, and
// gives the arguments. The length is rounded up by repeating the last value, so
// that lists of any length share a few statements, which stay prepared. An empty
// list is one NULL, which nothing is equal to.
func In(first int, values []int64) (list string, args []any) {
	if len(values) == 0 {
		return "(NULL)", nil
	}
	size := 1
	for size < len(values) {
		size *= 2
	}
	var b strings.Builder
	args = make([]any, size)
	for n := range args {
		args[n] = values[min(n, len(values)-1)]
		b.WriteByte(',')
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(first + n))
	}
	return "(" + b.String()[1:] + ")", args
}
