package simulation

import (
	"fmt"
	"math/rand/v2"
)

// Options are one run, all drawn from its seed. Of a hundred calls of the store so many
// fail, are cut after they were done, or stall; of a hundred steps so many are crashes.
type Options struct {
	Seed                    uint64
	Steps                   int
	Fail, Cut, Stall, Crash int
	// Calls ends the run after so many answers, if it is not 0. It is not drawn.
	Calls int
	// Pictures has graphs drawn between the steps. It is not drawn.
	Pictures bool
	// Point is the call of the store at which the process ends, from 1 on, and Moment when;
	// 0 means none. They are not drawn.
	Point  int
	Moment Moment
	// Database is the URL of a PostgreSQL database; empty means SQLite. It is not drawn.
	Database string
}

// Moment is when a process ends around a call of the store.
type Moment string

// The moments: nothing of the call is stored, half of what it appended to the log, or all
// of it without an answer.
const (
	BeforeCommit Moment = "before"
	WithinCommit Moment = "within"
	AfterCommit  Moment = "after"
)

// Draw gives the options of a seed.
func Draw(seed uint64) Options {
	r := rand.New(rand.NewPCG(seed, 1))
	return Options{
		Seed: seed, Steps: 40 + r.IntN(80), Fail: r.IntN(10), Cut: r.IntN(10), Stall: r.IntN(10), Crash: r.IntN(4),
	}
}

// String is what a failed run is found again by.
func (o Options) String() string {
	return fmt.Sprintf(optionsForm, o.Seed, o.Steps, o.Fail, o.Cut, o.Stall, o.Crash)
}

const optionsForm = "seed=%d steps=%d fail=%d%% cut=%d%% stall=%d%% crash=%d%%"

// ParseOptions reads what String wrote.
func ParseOptions(text string) (o Options, err error) {
	_, err = fmt.Sscanf(text, optionsForm, &o.Seed, &o.Steps, &o.Fail, &o.Cut, &o.Stall, &o.Crash)
	return o, err
}
