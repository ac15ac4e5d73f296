package lab

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// manifest is what world.json keeps of a world besides its data.
type manifest struct {
	Name string `json:"name"`
	From string `json:"from"`
	Base string `json:"base"` // folder below bases that reset goes back to
	// Data is the name of the data folder; empty means data.
	Data string `json:"data,omitempty"`
	// Port is the world's own. The next process takes it again: channels and clients
	// have its address.
	Port    string    `json:"port,omitempty"`
	Seed    uint64    `json:"seed"`
	Dialect string    `json:"dialect"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	// Config is laid over the lab's own configuration, as in the YAML file.
	Config json.RawMessage `json:"config,omitempty"`
	// ProofSalt tells what this world signs for its clients from what others sign that have its root key. It is in
	// no snapshot and no export.
	ProofSalt string `json:"proof_salt,omitempty"`
	Initial   state  `json:"birth"`
	State     state  `json:"state"`
	// Open is true while a process has the world open. One that is found so was
	// not closed, and what it drew of its identifiers is not known.
	Open bool `json:"open"`
	// Due is when the next job was due, on the world's clock, as the world fell asleep; zero is never.
	Due time.Time `json:"due,omitzero"`
}

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

const (
	manifestFile = "world.json"
	manifestPart = ".part" // ends the name of one that is being written
	dataFolder   = "data"
)

func (m manifest) folder() string { return cmp.Or(m.Data, dataFolder) }

// writeManifest replaces the file. A process that ends in the middle leaves the old one,
// or none and a whole one beside it: renaming over a file would have some file systems
// wait for the disk, which takes longer than all else of a small change.
func writeManifest(dir string, m manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, manifestFile)
	if err := os.WriteFile(file+manifestPart, append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(file+manifestPart, file)
}

func readManifest(dir string) (m manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(dir, manifestFile+manifestPart))
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	if m.Name != filepath.Base(dir) || m.Base == "" {
		return m, errors.New(filepath.Join(dir, manifestFile) + " is not the manifest of this world")
	}
	return m, nil
}
