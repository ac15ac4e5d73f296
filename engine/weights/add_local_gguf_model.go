package weights

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// addedFile describes a model that an operator added, beside its weights.
const addedFile = "added.json"

var unsafeName = regexp.MustCompile(`[^a-z0-9.]+`)

// Add copies a GGUF file into the folder and serves it from then on. The engine is
// fetched if it is not here.
func (f *Folder) Add(ctx context.Context, file, name string, from Source, report func(Progress)) (Model, error) {
	h, err := ReadHeader(file)
	if err != nil {
		return Model{}, err
	}
	if h.Template == "" || h.Context <= 0 || h.Width <= 0 {
		return Model{}, errors.New("weights: the file has no chat template or no context length; only models that were " +
			"taught to converse can be added")
	}
	if !f.supported {
		return Model{}, ErrMachine
	}
	if name == "" {
		name = h.Name
	}
	name = strings.Trim(unsafeName.ReplaceAllString(strings.ToLower(name), "-"), "-.")
	if _, err := f.Find(name); err == nil || name == "" || len(name) > 60 || name == "engine" || name == "downloads" {
		return Model{}, fmt.Errorf("weights: the name %q is taken or no name; choose another", name)
	}
	if err := os.MkdirAll(f.downloadsDir(), 0o700); err != nil {
		return Model{}, fmt.Errorf("weights: %w", err)
	}
	if _, err := f.Libraries(); err != nil {
		if err := f.fetch(ctx, f.libraries.Archive, "engine", from, report, f.unpackLibraries); err != nil {
			return Model{}, fmt.Errorf("fetch the engine: %w", err)
		}
	}
	m := Model{Name: name, ID: name, Title: h.Name, Licence: h.Licence, Context: h.Context, Width: h.Width}
	return m, f.copyIn(ctx, file, &m)
}

// copyIn brings weights and description into place, the description last.
func (f *Folder) copyIn(ctx context.Context, file string, m *Model) (err error) {
	dir := filepath.Dir(f.weightsFile(*m))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(f.weightsFile(*m), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	h := sha256.New()
	m.Size, err = io.Copy(io.MultiWriter(out, h), contextReader{ctx, in})
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	m.SHA256 = hex.EncodeToString(h.Sum(nil))
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, addedFile), raw, 0o600)
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.in.Read(b)
}

// added lists the models that were added, by name. What cannot be read is none.
func (f *Folder) added() (out []Model) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(f.dir, e.Name(), addedFile))
		var m Model
		if err == nil && json.Unmarshal(raw, &m) == nil && m.Name == e.Name() {
			out = append(out, m)
		}
	}
	return out
}
