package lab

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// state is what a world has besides its folder: where its clock and its
// identifiers stand.
type state struct {
	Mode clock.Mode `json:"mode"`
	// Now was the clock's time when the machine's was Since.
	Now   time.Time `json:"now"`
	Since time.Time `json:"since"`
	Rate  float64   `json:"rate"`
	// Drawn is how many bytes of identifiers were given; Life counts the times
	// that the process ended without saying so.
	Drawn uint64 `json:"drawn"`
	Life  uint64 `json:"life"`
	// Secret is what identifiers and secrets are drawn from where no seed was named, from the system's randomness. The
	// seed that such a world reports decides its faults and tells nothing about them. It is empty with a named seed.
	Secret string `json:"secret,omitempty"`
	// Touched is true after the first request or move of the clock.
	Touched bool `json:"touched"`
}

// proofSalt is a new world's own. With a named seed it follows from that: same birth, seed and clock are the same
// bytes.
func (l *Lab) proofSalt(seed uint64, s state) string {
	if s.Secret == "" {
		return fmt.Sprint("seed ", seed)
	}
	return l.ids.Hex(64)
}

// ids is the source of identifiers where the state stands. Each life draws from a sequence of its own.
func (s state) ids(seed uint64) *ids.Source {
	if s.Secret == "" {
		return ids.SeededAt(seed+s.Life<<32, s.Drawn)
	}
	return ids.KeyedAt(sha256.Sum256(fmt.Appendf(nil, "%d %s", s.Life, s.Secret)), s.Drawn)
}

// maxDrawn bounds how many bytes of identifiers an archive has us skip: some seconds of work.
const maxDrawn = 1 << 32

// check refuses a state that no world comes into. Since, Life and Touched may be anything:
// the first and the last are not taken over, and every life is a sequence of its own.
func (s state) check() error {
	const next = "give a file made by stoa world export"
	if !slices.Contains([]clock.Mode{clock.ModeReal, clock.ModeFrozen, clock.ModeRunning}, s.Mode) {
		return errInvalid(next, "%q is not a mode of a clock", s.Mode)
	}
	if s.Rate != 0 && !validRate(s.Rate) || s.Rate == 0 && s.Mode == clock.ModeRunning {
		return errInvalid(next, "the rate %v of the clock does not fit", s.Rate)
	}
	if s.Drawn > maxDrawn {
		return errInvalid(next, "the identifiers stand at %d, at most %d fit", s.Drawn, uint64(maxDrawn))
	}
	return checkTime(s.Now)
}

// setState puts clock and identifiers where a state says, while no app is open.
func (w *World) setState(s state) {
	w.setClock(s)
	w.ids = w.idsOf(s)
}

// idsOf is the source of identifiers where a state says.
func (w *World) idsOf(s state) *ids.Source { return s.ids(w.manifest.Seed) }

func (w *World) setClock(s state) {
	v := w.Clock()
	if v == nil {
		v = clock.NewVirtual(s.Now)
		w.clock.Store(v)
	}
	switch s.Mode {
	case clock.ModeFrozen:
		v.Freeze()
		v.Set(s.Now)
	case clock.ModeRunning:
		v.Freeze()
		v.Set(clock.After(s.Now, w.lab.clock.Now().Sub(s.Since), s.Rate))
		v.Run(s.Rate)
	default:
		v.RunReal()
	}
}

// state is where clock and identifiers stand.
func (w *World) state(touched bool, life uint64) state {
	mode, rate := w.Clock().Mode()
	return state{
		Mode: mode, Now: w.Clock().Now(), Since: w.lab.clock.Now(), Rate: rate,
		Drawn: w.ids.Drawn(), Life: life, Secret: w.manifest.Initial.Secret, Touched: touched,
	}
}
