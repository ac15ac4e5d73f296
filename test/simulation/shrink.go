package simulation

import "context"

// Shrink looks for a smaller run of the same seed that still breaks a promise: fewer
// steps first, then without one kind of fault after the other. dir gives a new folder
// for each try.
func (p Prepared) Shrink(ctx context.Context, dir func() string, o Options) (Options, error) {
	breaks := func(o Options) (bool, error) {
		r, err := p.Run(ctx, dir(), o)
		return len(r.Broken) > 0, err
	}
	low, high := 1, o.Steps // high breaks
	for low < high {
		try := o
		try.Steps = (low + high) / 2
		broken, err := breaks(try)
		switch {
		case err != nil:
			return o, err
		case broken:
			high = try.Steps
		default:
			low = try.Steps + 1
		}
	}
	o.Steps = high
	for _, clear := range []func(*Options){
		func(o *Options) { o.Crash = 0 }, func(o *Options) { o.Cut = 0 }, func(o *Options) { o.Fail = 0 },
		func(o *Options) { o.Stall = 0 },
	} {
		try := o
		clear(&try)
		if broken, err := breaks(try); err == nil && broken {
			o = try
		}
	}
	return o, nil
}
