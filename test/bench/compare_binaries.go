package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"
)

// passes is how often each row is run with either binary.
const passes = 3

// against runs each row in turn with another binary and with ours and prints
// how they compare: a noisy minute of the machine then hits both.
func (b *bench) against(ctx context.Context, out io.Writer, other string, match *regexp.Regexp) error {
	fmt.Fprint(out, "| what | other | ours | ours against other | CPU of other | CPU of ours | ours against other |\n",
		"|---|--:|--:|--:|--:|--:|--:|\n")
	ours, dir := b.binary, b.dir
	defer func() { b.dir = dir }()
	for _, r := range rows() {
		if !match.MatchString(r.name) {
			continue
		}
		var theirs, mine [][]result
		for pass := range passes {
			// The order changes, so that neither is always the first.
			order := []string{other, ours}
			if pass%2 == 1 {
				slices.Reverse(order)
			}
			for _, binary := range order {
				b.binary = binary
				// Two versions cannot share a data folder.
				var err error
				if b.dir, err = os.MkdirTemp(dir, "pass"); err != nil {
					return err
				}
				results, err := r.run(b, ctx)
				if err != nil {
					return fmt.Errorf("%s with %s: %w", r.name, binary, err)
				}
				if binary == other {
					theirs = append(theirs, results)
				} else {
					mine = append(mine, results)
				}
			}
		}
		printAgainst(out, r, theirs, mine)
	}
	return nil
}

func printAgainst(out io.Writer, r row, theirs, mine [][]result) {
	for line := range mine[0] {
		name := r.name
		if label := mine[0][line].label; label != "" {
			name += ", " + label
		}
		a, b := middle(theirs, line), middle(mine, line)
		better := b / a
		if mine[0][line].rate == 0 {
			better = a / b // a time or a size: smaller is better
		}
		fmt.Fprintf(out, "| %s | %.5g | %.5g | %.2f |", name, a, b, better)
		before, after := leastCPU(theirs, line), leastCPU(mine, line)
		if before == 0 || after == 0 {
			fmt.Fprintln(out, " | | |")
			continue
		}
		fmt.Fprintf(out, " %.1f µs | %.1f µs | %.2f |\n", micros(before), micros(after), float64(before)/float64(after))
	}
}

// middle is the median of one line over all passes.
func middle(all [][]result, line int) float64 {
	var values []float64
	for _, results := range all {
		if line >= len(results) {
			continue
		}
		value := results[line].rate
		if value == 0 {
			value = results[line].value
		}
		values = append(values, value)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// leastCPU is the processor time an answer in the quietest pass: noise only adds.
func leastCPU(all [][]result, line int) time.Duration {
	least := time.Duration(0)
	for _, results := range all {
		if line < len(results) && results[line].cpu > 0 && (least == 0 || results[line].cpu < least) {
			least = results[line].cpu
		}
	}
	return least
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
