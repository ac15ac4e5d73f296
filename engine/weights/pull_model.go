package weights

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// locate asks a registry where the archive is.
func locate(ctx context.Context, from Source, base string, a Archive) (string, error) {
	switch a.Kind {
	case NPM:
		return locateNPM(ctx, from, base, a)
	case Maven:
		return locateMaven(base, a), nil
	}
	return locatePyPI(ctx, from, base, a)
}

// locateMaven is where a repository has an archive; its layout is fixed.
func locateMaven(base string, a Archive) string {
	group, artifact, _ := strings.Cut(a.Package, ":")
	return strings.Join([]string{
		strings.TrimSuffix(base, "/"), strings.ReplaceAll(group, ".", "/"), artifact, a.Version,
		artifact + "-" + a.Version + ".jar",
	}, "/")
}

func locateNPM(ctx context.Context, from Source, base string, a Archive) (string, error) {
	res, err := from.Get(ctx, base+"/"+strings.Replace(a.Package, "/", "%2f", 1), "application/json")
	if err != nil {
		return "", err
	}
	var document struct {
		Versions map[string]struct {
			Dist struct {
				Tarball string `json:"tarball"`
			} `json:"dist"`
		} `json:"versions"`
	}
	if err := json.Unmarshal(res.Body, &document); err != nil || document.Versions[a.Version].Dist.Tarball == "" {
		return "", fmt.Errorf("the registry does not have %s %s", a.Package, a.Version)
	}
	return document.Versions[a.Version].Dist.Tarball, nil
}

// link is an address in a list of files for browsers.
var link = regexp.MustCompile(`href="([^"#]+)`)

func locatePyPI(ctx context.Context, from Source, base string, a Archive) (string, error) {
	res, err := from.Get(ctx, base+"/"+a.Package+"/", "application/vnd.pypi.simple.v1+json, text/html;q=0.2")
	if err != nil {
		return "", err
	}
	var document struct {
		Files []struct {
			Filename string `json:"filename"`
			URL      string `json:"url"`
		} `json:"files"`
	}
	found := ""
	if strings.Contains(res.ContentType, "json") {
		if err := json.Unmarshal(res.Body, &document); err != nil {
			return "", errors.New("the registry's list of files is not JSON")
		}
		for _, file := range document.Files {
			if file.Filename == a.File {
				found = file.URL
			}
		}
	} else {
		for _, match := range link.FindAllStringSubmatch(string(res.Body), -1) {
			if path.Base(match[1]) == a.File {
				found = strings.ReplaceAll(match[1], "&amp;", "&")
			}
		}
	}
	page, err := url.Parse(res.URL)
	if err != nil || found == "" {
		return "", fmt.Errorf("the registry does not have %s", a.File)
	}
	whole, err := page.Parse(found)
	if err != nil {
		return "", fmt.Errorf("the registry names no address of %s", a.File)
	}
	return whole.String(), nil
}
