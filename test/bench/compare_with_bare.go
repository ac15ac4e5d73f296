package main

import (
	"context"

	"stoa.dev/stoa/test/bench/drive"
)

// comparison is the outcome of alternating rounds against two servers.
type comparison struct {
	bare, ours drive.Sample
}

// ratio is how much of the bare rate ours reaches.
func (c comparison) ratio() float64 { return c.ours.Rate / c.bare.Rate }

// load is what runs for one round: drive.Load, or a generator of its own.
type load interface {
	Run(ctx context.Context) (drive.Sample, error)
}

// compare alternates the two loads, so that a busy moment of the machine hits
// both, and keeps the median of each.
func compare(ctx context.Context, rounds int, bare, ours load) (comparison, error) {
	var bares, all []drive.Sample
	for range rounds {
		b, err := bare.Run(ctx)
		if err != nil {
			return comparison{}, err
		}
		o, err := ours.Run(ctx)
		if err != nil {
			return comparison{}, err
		}
		bares, all = append(bares, b), append(all, o)
	}
	return comparison{bare: drive.Median(bares), ours: drive.Median(all)}, nil
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
	against := func(address string) drive.Load {
		text := drive.Request("GET", path, address, token, "")
		return b.load(address, 16, func(int) drive.Source { return drive.Constant(text) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(o.address()))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// repeat runs one load several times and keeps the median.
func repeat(ctx context.Context, rounds int, l drive.Load) (drive.Sample, error) {
	var all []drive.Sample
	for range rounds {
		s, err := l.Run(ctx)
		if err != nil {
			return drive.Sample{}, err
		}
		all = append(all, s)
	}
	return drive.Median(all), nil
}
