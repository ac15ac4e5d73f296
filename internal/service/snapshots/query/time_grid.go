package query

// Interval is the default distance of points for a query over span seconds.
// Bars are wider than line points.
func Interval(span int64, bars bool) int64 {
	const minute, hour, day = 60, 3600, 86400
	for _, r := range []struct{ upTo, line, bars int64 }{
		{30 * minute, 5, 20},
		{hour, 20, minute},
		{4 * hour, minute, 2 * minute},
		{day, 5 * minute, 20 * minute},
		{2 * day, 10 * minute, 30 * minute},
		{7 * day, hour, 2 * hour},
		{31 * day, 4 * hour, 12 * hour},
		{92 * day, 12 * hour, day},
	} {
		if span <= r.upTo {
			if bars {
				return r.bars
			}
			return r.line
		}
	}
	if bars {
		return 3 * day
	}
	return max(day, (span/1400+day-1)/day*day)
}

// grid is the time buckets of one metric: n of step milliseconds from start.
// shift moves where values are read, for comparisons with the past.
type grid struct {
	start, step, shift int64
	n                  int
}

// newGrid aligns buckets to the epoch and keeps their number below most.
func newGrid(from, to, seconds, shift int64, limit int) grid {
	seconds = max(seconds, 1)
	if span := to - from; span/seconds > int64(limit) {
		seconds = (span + int64(limit) - 1) / int64(limit)
	}
	first := (from + seconds - 1) / seconds * seconds
	if from < 0 {
		first = from / seconds * seconds
	}
	n := (to - first + seconds - 1) / seconds
	if n < 1 {
		// A range shorter than a bucket still has the bucket it lies in.
		first, n = to/seconds*seconds, 1
	}
	return grid{start: first * 1000, step: seconds * 1000, shift: shift * 1000, n: int(n)}
}

// bucket returns the index of a stored time, which may lie outside 0 to n.
func (g grid) bucket(ms int64) int {
	d := ms - g.shift - g.start
	if d < 0 {
		return -1
	}
	return int(d / g.step)
}
