package lab

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
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
