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

	"stoa.dev/stoa/internal/platform/registry"
)

// Source finds registries and fetches from them.
type Source struct {
	Finder *registry.Finder
	Client *registry.Client
}

// Step tells how far a pull is.
type Step struct {
	What        string
	Done, Total int64
}

// Pull fetches the engine and a model, as far as they are not here.
func (f *Folder) Pull(ctx context.Context, name string, from Source, tell func(Step)) (Model, error) {
	m, err := f.Find(name)
	if err != nil {
		return m, err
	}
	if !f.has {
		return m, ErrMachine
	}
	if err := os.MkdirAll(f.downloads(), 0o700); err != nil {
		return m, fmt.Errorf("weights: %w", err)
	}
	if _, err := f.Libraries(); err != nil {
		if err := f.fetch(ctx, f.engine.Archive, "engine", from, tell, f.unpackEngine); err != nil {
			return m, fmt.Errorf("fetch the engine: %w", err)
		}
	}
	if _, err := f.Weights(m); err != nil {
		unpack := func(archive string) error { return f.unpackModel(archive, m) }
		if err := f.fetch(ctx, m.Archive, m.Name, from, tell, unpack); err != nil {
			return m, fmt.Errorf("fetch %s: %w", m.Name, err)
		}
	}
	_, err = f.Weights(m)
	return m, err
}

// fetch downloads an archive from the first registry that has it, unpacks it
// and lets go of it.
func (f *Folder) fetch(ctx context.Context, a Archive, what string, from Source, tell func(Step), unpack func(string) error) error {
	addresses, err := from.Finder.Find(ctx, a.Kind)
	if err != nil {
		return err
	}
	target := filepath.Join(f.downloads(), path.Base(a.Package)+"-"+a.Version)
	var failed error
	for _, address := range addresses {
		from.Client.Trust(address)
		location, err := locate(ctx, from.Client, address, a)
		if err == nil {
			err = from.Client.Download(ctx, registry.Download{
				URL: location, Path: target, Size: a.Size, SHA256: a.SHA256,
				Progress: func(done, total int64) { tell(Step{what, done, total}) },
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
func locate(ctx context.Context, c *registry.Client, at registry.Address, a Archive) (string, error) {
	if a.Kind == registry.NPM {
		return locateNPM(ctx, c, at, a)
	}
	return locatePyPI(ctx, c, at, a)
}

func locateNPM(ctx context.Context, c *registry.Client, at registry.Address, a Archive) (string, error) {
	res, err := c.Get(ctx, registry.Request{URL: at.Join(strings.Replace(a.Package, "/", "%2f", 1)), Accept: "application/json"})
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

func locatePyPI(ctx context.Context, c *registry.Client, at registry.Address, a Archive) (string, error) {
	res, err := c.Get(ctx, registry.Request{
		URL: at.Join(a.Package + "/"), Accept: "application/vnd.pypi.simple.v1+json, text/html;q=0.2",
	})
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
	base, err := url.Parse(res.URL)
	if err != nil || found == "" {
		return "", fmt.Errorf("the registry does not have %s", a.File)
	}
	whole, err := base.Parse(found)
	if err != nil {
		return "", fmt.Errorf("the registry names no address of %s", a.File)
	}
	return whole.String(), nil
}
