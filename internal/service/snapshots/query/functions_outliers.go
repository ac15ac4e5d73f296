package query

import (
	"fmt"
	"math"
)

// medianSeries is the median of all series at each point.
func medianSeries(list [][]float64) []float64 {
	longest := 0
	for _, v := range list {
		longest = max(longest, len(v))
	}
	out := make([]float64, longest)
	column := make([]float64, 0, len(list))
	for i := range out {
		column = column[:0]
		for _, v := range list {
			if i < len(v) && !math.IsNaN(v[i]) {
				column = append(column, v[i])
			}
		}
		out[i] = math.NaN()
		if len(column) > 0 {
			out[i] = median(column)
		}
	}
	return out
}

// apart tells which series have at least share of their points further from
// the median series than tolerance deviations of all points.
func apart(list [][]float64, tolerance, share float64) []bool {
	middle := medianSeries(list)
	var all []float64
	for _, v := range list {
		all = append(all, present(v, middle)...)
	}
	out := make([]bool, len(list))
	if len(all) == 0 {
		return out
	}
	limit := tolerance * deviation(all, 0)
	for i, v := range list {
		far, points := 0, present(v, middle)
		for _, d := range points {
			if math.Abs(d) > limit {
				far++
			}
		}
		out[i] = far > 0 && float64(far) >= share*float64(len(points))
	}
	return out
}

// scattered tells which series are not in the largest set of neighbours. Two
// series are neighbours when their distance is at most tolerance times the
// median distance from the median series.
func scattered(list [][]float64, tolerance float64) []bool {
	out := make([]bool, len(list))
	if len(list) < 3 {
		return out // of two, neither is the odd one
	}
	middle := medianSeries(list)
	distances := make([]float64, len(list))
	for i, v := range list {
		distances[i] = distance(v, middle)
	}
	near := tolerance * median(distances)
	set, largest := neighbours(list, near)
	for i := range out {
		out[i] = set[i] != largest
	}
	return out
}

// neighbours gives every series the number of its set, and the number of the
// set with most members, the first of equal ones.
func neighbours(list [][]float64, near float64) (set []int, largest int) {
	set = make([]int, len(list))
	best := 0
	for i := range list {
		if set[i] != 0 {
			continue
		}
		number, members, todo := i+1, 0, []int{i}
		set[i] = number
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			members++
			for j := range list {
				if set[j] == 0 && distance(list[at], list[j]) <= near {
					set[j] = number
					todo = append(todo, j)
				}
			}
		}
		if members > best {
			best, largest = members, number
		}
	}
	return set, largest
}

// distance is the root of the mean squared difference where both have values;
// series that never meet are infinitely far.
func distance(a, b []float64) float64 {
	sum, n := 0.0, 0.0
	for i := range min(len(a), len(b)) {
		if d := a[i] - b[i]; !math.IsNaN(d) {
			sum += d * d
			n++
		}
	}
	if n == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(sum / n)
}

// scaled divides each series by its own level.
func scaled(list [][]float64) [][]float64 {
	out := make([][]float64, len(list))
	for i, v := range list {
		var here []float64
		for _, x := range v {
			if !math.IsNaN(x) {
				here = append(here, math.Abs(x))
			}
		}
		level := 1.0
		if len(here) > 0 {
			if m := median(here); m > 0 {
				level = m
			}
		}
		out[i] = make([]float64, len(v))
		for j, x := range v {
			out[i][j] = x / level
		}
	}
	return out
}

// outliers marks the series of a group that do not behave like the others. The
// tolerance is in deviations. 'MAD' looks at each point: a series is an outlier
// when so many per cent of its points lie apart from the others. 'DBSCAN' looks
// at whole series: the largest set of those that lie near each other is usual.
// The scaled ways compare shapes, whatever the level.
func outliers(c *Call, list []Series) ([]Series, error) {
	method, tolerance, percent := c.text(1, ""), c.num(2, 3), c.num(3, 20)
	if !(tolerance > 0 && tolerance <= 100) || !(percent > 0 && percent <= 100) {
		return nil, fmt.Errorf("tolerance and percentage of outliers lie above 0 and up to 100")
	}
	if err := tooMany(c, list); err != nil {
		return nil, err
	}
	judge := map[string]func([][]float64) []bool{
		"MAD":    func(v [][]float64) []bool { return apart(v, tolerance, percent/100) },
		"DBSCAN": func(v [][]float64) []bool { return scattered(v, tolerance) },
	}
	judge["scaledMAD"] = func(v [][]float64) []bool { return judge["MAD"](scaled(v)) }
	judge["scaledDBSCAN"] = func(v [][]float64) []bool { return judge["DBSCAN"](scaled(v)) }
	if judge[method] == nil {
		return nil, fmt.Errorf("outliers are found by 'DBSCAN', 'MAD', 'scaledDBSCAN' or 'scaledMAD', not %q", method)
	}
	values := make([][]float64, len(list))
	for i := range list {
		values[i] = list[i].Values
	}
	for i, out := range judge[method](values) {
		if list[i].Mark = MarkNormal; out {
			list[i].Mark = MarkOutlier
		}
	}
	return list, nil
}
