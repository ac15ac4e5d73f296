package main

import "math"

// law is the universal scalability law (Gunther): with n at work the rate is
// λn / (1 + σ(n−1) + κn(n−1)). σ is the share of the work that waits in a queue for
// one that does it alone, κ what any two cost each other.
type law struct{ lambda, sigma, kappa float64 }

func (l law) rate(n float64) float64 {
	return l.lambda * n / (1 + l.sigma*(n-1) + l.kappa*n*(n-1))
}

// best is the number with the highest rate; infinite when it only rises.
func (l law) best() float64 {
	if l.kappa <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(max(1-l.sigma, 0) / l.kappa)
}

// fit finds the law of measured rates. n over the rate is a sum of three terms that are
// linear in 1/λ, σ/λ and κ/λ, none of which is negative; the squares of the relative
// differences are made least.
func fit(numbers, rates []float64) law {
	rows := make([][3]float64, len(numbers))
	for i, n := range numbers {
		weight := rates[i] / n
		rows[i] = [3]float64{weight, weight * (n - 1), weight * n * (n - 1)}
	}
	best, found := [3]float64{}, math.Inf(1)
	// A term that would be negative is left out: each choice is tried.
	for mask := 1; mask < 8; mask += 2 {
		x, ok := leastSquares(rows, mask)
		if !ok {
			continue
		}
		rest := 0.0
		for _, row := range rows {
			difference := row[0]*x[0] + row[1]*x[1] + row[2]*x[2] - 1
			rest += difference * difference
		}
		if rest < found {
			best, found = x, rest
		}
	}
	return law{lambda: 1 / best[0], sigma: best[1] / best[0], kappa: best[2] / best[0]}
}

// leastSquares solves the normal equations of the columns in mask for a right side of
// ones; false when a value is not positive.
func leastSquares(rows [][3]float64, mask int) (x [3]float64, ok bool) {
	var columns []int
	for c := range 3 {
		if mask&(1<<c) != 0 {
			columns = append(columns, c)
		}
	}
	system := make([][]float64, len(columns))
	for i, a := range columns {
		system[i] = make([]float64, len(columns)+1)
		for _, row := range rows {
			for j, b := range columns {
				system[i][j] += row[a] * row[b]
			}
			system[i][len(columns)] += row[a]
		}
	}
	for i := range system {
		if math.Abs(system[i][i]) < 1e-12 {
			return x, false
		}
		for k := range system {
			if k == i {
				continue
			}
			factor := system[k][i] / system[i][i]
			for j := range system[k] {
				system[k][j] -= factor * system[i][j]
			}
		}
	}
	for i, c := range columns {
		if x[c] = system[i][len(columns)] / system[i][i]; x[c] <= 0 {
			return x, false
		}
	}
	return x, true
}

// speedup is how a call answers on more processors, and why not on all of them.
type speedup struct {
	times float64 // the rate over that on one
	// serial is the share of one processor's work that a second one did not take over
	// (Karp and Flatt).
	serial float64
	// work is how much more processor time an answer costs, idle the part of the
	// processors that nothing used, less that on one.
	work, idle float64
	law        law
}

// compareProcessors derives the law over processors from two points. Its two unknowns come
// from two measurements: κ from what an answer costs more, σ from what is waited for.
func compareProcessors(one, many point) speedup {
	n := float64(many.Processors)
	s := speedup{times: many.Rate / one.Rate, idle: one.busy() - many.busy()}
	s.serial = min(max((1/s.times-1/n)/(1-1/n), 0), 1)
	cost := float64(many.Server+many.Generator) / float64(one.Server+one.Generator)
	s.work = cost - 1
	s.law = law{lambda: 1, kappa: max(s.work, 0) / (n * (n - 1))}
	s.law.sigma = min(max((n/s.times-1-s.law.kappa*n*(n-1))/(n-1), 0), 1)
	return s
}
