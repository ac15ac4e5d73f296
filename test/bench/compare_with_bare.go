package main

import (
	"context"
	"slices"
	"time"
)

// comparison is the outcome of alternating rounds against two servers.
type comparison struct {
	bare, ours sample
}

// ratio is how much of the bare rate ours reaches.
func (c comparison) ratio() float64 { return c.ours.rate / c.bare.rate }

// compare alternates the two loads, so that a busy moment of the machine hits
// both, and keeps the median of each.
func compare(ctx context.Context, rounds int, bare, ours load) (comparison, error) {
	var bares, all []sample
	for range rounds {
		b, err := bare.run(ctx)
		if err != nil {
			return comparison{}, err
		}
		o, err := ours.run(ctx)
		if err != nil {
			return comparison{}, err
		}
		bares, all = append(bares, b), append(all, o)
	}
	return comparison{bare: median(bares), ours: median(all)}, nil
}

// gets compares the GET of a path with a bare server of the kind that word names,
// which answers with what ours answered first.
func (b *bench) gets(ctx context.Context, o *ours, word, path, token string) ([]result, error) {
	body, err := o.get(ctx, path, token)
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBareAs(ctx, word, body)
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string) load {
		text := request("GET", path, address, token, "")
		return b.load(address, 16, func(int) source { return constant(text) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(o.address()))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// repeat runs one load several times and keeps the median.
func repeat(ctx context.Context, rounds int, l load) (sample, error) {
	var all []sample
	for range rounds {
		s, err := l.run(ctx)
		if err != nil {
			return sample{}, err
		}
		all = append(all, s)
	}
	return median(all), nil
}

// median takes each number's own median: rate and latency need not come from
// the same round.
func median(all []sample) sample {
	var rates []float64
	var p50, p99, cpu []time.Duration
	for _, s := range all {
		rates, p50, p99, cpu = append(rates, s.rate), append(p50, s.p50), append(p99, s.p99), append(cpu, s.cpu)
	}
	slices.Sort(rates)
	slices.Sort(p50)
	slices.Sort(p99)
	m := len(all) / 2
	return sample{rate: rates[m], p50: p50[m], p99: p99[m], cpu: slices.Min(cpu)}
}
