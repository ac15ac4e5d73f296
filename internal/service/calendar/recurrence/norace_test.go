//go:build !race

package recurrence

const (
	maxYears     = 30
	windowMonths = 12
)
