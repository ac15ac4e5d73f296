package weights

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Source is the way to package registries.
type Source interface {
	// Registries are the base addresses of a kind of registry, the best first.
	Registries(ctx context.Context, kind string) ([]string, error)
	Get(ctx context.Context, address, accept string) (Document, error)
	// Download writes a file of a known size and hash, and continues one that
	// broke off.
	Download(ctx context.Context, d Download) error
}

// Document is what a registry says about a package.
type Document struct {
	// URL is where it was finally found.
	URL         string
	ContentType string
	Body        []byte
}

// Download is a file to be fetched.
type Download struct {
	URL, Path string
	Size      int64
	SHA256    string
	Progress  func(done, total int64)
}

// Progress is how far a pull is.
type Progress struct {
	What        string
	Done, Total int64
}

// Pull fetches the engine and a model, as far as they are not here.
func (f *Folder) Pull(ctx context.Context, name string, from Source, report func(Progress)) (Model, error) {
	m, err := f.Find(name)
	if err != nil {
		return m, err
	}
	if !f.supported && !m.Sentences() {
		return m, ErrMachine
	}
	if err := os.MkdirAll(f.downloadsDir(), 0o700); err != nil {
		return m, fmt.Errorf("weights: %w", err)
	}
	if _, err := f.Libraries(); err != nil && !m.Sentences() {
		if err := f.fetch(ctx, f.libraries.Archive, "engine", from, report, f.unpackLibraries); err != nil {
			return m, fmt.Errorf("fetch the engine: %w", err)
		}
	}
	if _, err := f.Weights(m); err != nil {
		unpack := func(archive string) error { return f.unpackModel(archive, m) }
		if err := f.fetch(ctx, m.Archive, m.Name, from, report, unpack); err != nil {
			return m, fmt.Errorf("fetch %s: %w", m.Name, err)
		}
	}
	_, err = f.Weights(m)
	return m, err
}

// fetch downloads an archive from the first registry that has it, unpacks it
// and removes it.
func (f *Folder) fetch(
	ctx context.Context, a Archive, what string, from Source, report func(Progress), unpack func(string) error,
) error {
	registries, err := from.Registries(ctx, a.Kind)
	if err != nil {
		return err
	}
	target := filepath.Join(f.downloadsDir(), strings.ReplaceAll(path.Base(a.Package), ":", "-")+"-"+a.Version)
	var failed error
	for _, base := range registries {
		location, err := locate(ctx, from, base, a)
		if err == nil {
			err = from.Download(ctx, Download{
				URL: location, Path: target, Size: a.Size, SHA256: a.SHA256,
				Progress: func(done, total int64) { report(Progress{what, done, total}) },
			})
		}
		if err == nil {
			return errors.Join(unpack(target), os.Remove(target))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
