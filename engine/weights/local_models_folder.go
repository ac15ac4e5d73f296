package weights

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Folder is where models are kept, below the data folder.
type Folder struct {
	dir string
	// catalog and engine can be replaced in tests.
	catalog   []Model
	libraries Libraries
	supported bool
}

// Open names the folder of models in a data folder. It creates nothing.
func Open(dir string) *Folder {
	libraries, ok := LibrariesFor(runtime.GOOS, runtime.GOARCH)
	return &Folder{dir: filepath.Join(dir, "models"), catalog: Catalog(), libraries: libraries, supported: ok}
}

var (
	// ErrUnknown means that the catalog has no model of that name.
	ErrUnknown = errors.New("weights: there is no model of that name")
	// ErrAbsent means that the model has not been pulled.
	ErrAbsent = errors.New("weights: the model is not here; run: stoa models pull")
	// ErrMachine means that the engine does not run on this kind of machine.
	ErrMachine = errors.New("weights: local models need Linux on an x86-64 processor; use an upstream here")
	// ErrDamaged means that a file is no longer what was fetched.
	ErrDamaged = errors.New(
		"weights: a file has changed since it was fetched; run: stoa models remove, then stoa models pull")
)

// Find gives the model of a name.
func (f *Folder) Find(name string) (Model, error) {
	for _, m := range f.Catalog() {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("%w: %q", ErrUnknown, name)
}

// Catalog lists what could be fetched, and what was added.
func (f *Folder) Catalog() []Model { return append(slices.Clone(f.catalog), f.added()...) }

func (f *Folder) weightsFile(m Model) string {
	if m.Sentences() {
		return filepath.Join(f.dir, m.Name, "model.onnx")
	}
	return filepath.Join(f.dir, m.Name, "weights.gguf")
}

func (f *Folder) tokenizerFile(m Model) string { return filepath.Join(f.dir, m.Name, "tokenizer.json") }

// Has reports whether a model is here, by its size; the hash was verified when it
// came and is again when it is used.
func (f *Folder) Has(m Model) bool {
	info, err := os.Stat(f.weightsFile(m))
	if err != nil || info.Size() != m.Size {
		return false
	}
	if !m.Sentences() {
		return true
	}
	info, err = os.Stat(f.tokenizerFile(m))
	return err == nil && info.Size() == m.Tokenizer.Size
}

// Tokenizer verifies the vocabulary of a model of sentences and gives its path.
func (f *Folder) Tokenizer(m Model) (string, error) {
	path := f.tokenizerFile(m)
	return path, verify(path, m.Tokenizer.SHA256)
}

// Pulled lists the models that are here.
func (f *Folder) Pulled() []Model {
	var out []Model
	for _, m := range f.Catalog() {
		if f.Has(m) {
			out = append(out, m)
		}
	}
	return out
}

// Weights verifies the file of a model and gives its path.
func (f *Folder) Weights(m Model) (string, error) {
	path := f.weightsFile(m)
	if !f.Has(m) {
		return "", fmt.Errorf("%w %s", ErrAbsent, m.Name)
	}
	return path, verify(path, m.SHA256)
}

// Libraries verifies the engine's libraries and gives their folder.
func (f *Folder) Libraries() (string, error) {
	if !f.supported {
		return "", ErrMachine
	}
	dir := f.librariesDir()
	for name, sum := range f.libraries.Files {
		if err := verify(filepath.Join(dir, name), sum); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func (f *Folder) librariesDir() string { return filepath.Join(f.dir, "engine", f.libraries.Release) }

// verify checks a file against its hash.
func verify(path, sum string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing", ErrAbsent, filepath.Base(path))
	}
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		return fmt.Errorf("%w: %s", ErrDamaged, filepath.Base(path))
	}
	return nil
}

// Remove deletes a model, and the engine with the last one.
func (f *Folder) Remove(name string) error {
	m, err := f.Find(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(f.dir, m.Name)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w %s", ErrAbsent, name)
	}
	if err := os.RemoveAll(filepath.Join(f.dir, m.Name)); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	if len(f.Pulled()) > 0 {
		return nil
	}
	return errors.Join(os.RemoveAll(filepath.Join(f.dir, "engine")), os.RemoveAll(f.downloadsDir()))
}

func (f *Folder) downloadsDir() string { return filepath.Join(f.dir, "downloads") }
