//go:build !race

package recurrence

const (
	testYears    = 30
	windowMonths = 12
)
