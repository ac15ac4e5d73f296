package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// errNotFetched is a peer that this machine's registries do not give.
var errNotFetched = errors.New("not fetched")

// found is what was measured with one peer.
type found struct {
	peer         peer
	outcomes     []outcome // none: it was not fetched
	theirs, ours life
}

// outcome is one ask of both.
type outcome struct {
	ask          ask
	theirs, ours drive.Sample
}

// life is what a process needs, apart from what it is asked.
type life struct {
	start       time.Duration // median from nothing to the first answer
	rest, after float64       // megabytes, before and after all rounds
}

// starts is how often each is started in an empty folder.
const starts = 3

// compare measures one peer and Stoa.
func (r *run) compare(ctx context.Context, p peer) (found, error) {
	f := found{peer: p}
	theirs, ours, err := p.servers(ctx, r, p.pin)
	if err != nil {
		return f, fmt.Errorf("%s %w: %w", p.name, errNotFetched, err)
	}
	if err := r.starts(ctx, &f, theirs, ours); err != nil {
		return f, err
	}
	them, err := theirs.start(ctx, r.folder(p, "peer"))
	if err != nil {
		return f, err
	}
	defer them.stop()
	us, err := ours.start(ctx, r.folder(p, "stoa"))
	if err != nil {
		return f, err
	}
	defer us.stop()
	asks, err := p.asks(ctx, r, them, us)
	if err != nil {
		return f, err
	}
	if f.theirs.rest, f.ours.rest, err = bothMemories(them, us); err != nil {
		return f, err
	}
	for _, a := range asks {
		o, err := a.compare(ctx, r.rounds)
		if err != nil {
			return f, fmt.Errorf("%s: %w", a.what, err)
		}
		f.outcomes = append(f.outcomes, o)
	}
	f.theirs.after, f.ours.after, err = bothMemories(them, us)
	return f, err
}

// folder is a new one for a server of this run.
func (r *run) folder(p peer, what string) string { return filepath.Join(r.dir, p.pin.name, what) }

// starts starts both in turn, each in a folder of its own, and ends them.
func (r *run) starts(ctx context.Context, f *found, theirs, ours server) error {
	var them, us []time.Duration
	for i := range starts {
		for _, each := range []struct {
			server server
			name   string
			took   *[]time.Duration
		}{{theirs, "peer", &them}, {ours, "stoa", &us}} {
			c, err := each.server.start(ctx, r.folder(f.peer, fmt.Sprintf("%s-start-%d", each.name, i)))
			if err != nil {
				return err
			}
			c.stop()
			*each.took = append(*each.took, c.took)
		}
	}
	slices.Sort(them)
	slices.Sort(us)
	f.theirs.start, f.ours.start = them[starts/2], us[starts/2]
	return nil
}

func bothMemories(theirs, ours *child) (them, us float64, err error) {
	if them, err = theirs.memory(); err != nil {
		return 0, 0, err
	}
	us, err = ours.memory()
	return them, us, err
}

// compare alternates rounds, so that a busy moment of the machine hits both, and
// changes who is first, so that neither always is.
func (a ask) compare(ctx context.Context, rounds int) (outcome, error) {
	var them, us []drive.Sample
	for i := range rounds {
		order := []struct {
			name    string
			measure measure
			samples *[]drive.Sample
		}{{"peer", a.askTheirs, &them}, {"Stoa", a.askOurs, &us}}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, each := range order {
			s, err := each.measure(ctx)
			if err != nil {
				return outcome{}, fmt.Errorf("%s: %w", each.name, err)
			}
			*each.samples = append(*each.samples, s)
		}
	}
	return outcome{ask: a, theirs: drive.Median(them), ours: drive.Median(us)}, nil
}
