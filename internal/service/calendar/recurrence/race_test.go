//go:build race

package recurrence

// The walk that the other is compared with begins at the start of the series.
const (
	testYears    = 3
	windowMonths = 2
)
