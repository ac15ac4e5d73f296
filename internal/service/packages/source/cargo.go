package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// cargoSource reads the sparse index. The index has no licenses and no links;
// those stand in the manifest inside the crate archive.
type cargoSource struct{ origin }

const cargoUpstream = "CARGO_REGISTRY"

type cargoLine struct {
	Name      string     `json:"name"`
	Version   string     `json:"vers"`
	Deps      []cargoDep `json:"deps"`
	Checksum  string     `json:"cksum"`
	Yanked    bool       `json:"yanked"`
	Published string     `json:"pubtime"`
	Links     string     `json:"links"`
	// Features2 are those in forms that old cargos cannot read.
	Features  map[string][]string `json:"features"`
	Features2 map[string][]string `json:"features2"`
}

type cargoDep struct {
	Name     string   `json:"name"`
	Req      string   `json:"req"`
	Features []string `json:"features"`
	Optional bool     `json:"optional"`
	Defaults bool     `json:"default_features"`
	Target   string   `json:"target"`
	Kind     string   `json:"kind"`
	Package  string   `json:"package"`
}

// cargoPath is where the index keeps a crate: short names by length, longer
// ones by their first four letters.
func cargoPath(name string) string {
	name = strings.ToLower(name)
	switch len(name) {
	case 1, 2:
		return string(rune('0'+len(name))) + "/" + name
	case 3:
		return "3/" + name[:1] + "/" + name
	}
	return name[:2] + "/" + name[2:4] + "/" + name
}

func (s *cargoSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	if !isCrateName(name) {
		return nil, registry.ErrNotFound
	}
	res, at, err := s.first(ctx, cargoPath(name), registry.Request{ETag: since.ETag, LastModified: since.LastModified})
	if err != nil {
		return nil, err
	}
	downloads, err := s.downloads(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := registry.Charge(ctx, values(res.Body)*valueWeight); err != nil {
		return nil, err
	}
	if err := s.chargeVersions(ctx, lines(res.Body)); err != nil {
		return nil, err
	}
	p, err := s.parse(res.Body, name, at, downloads)
	if err != nil {
		return nil, err
	}
	return listing(p, res)
}

// isCrateName keeps names that are no path tricks.
func isCrateName(name string) bool {
	return name != "" && len(name) <= 64 &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// downloads is the index's template for archive addresses.
func (s *cargoSource) downloads(ctx context.Context, at registry.Address) (string, error) {
	res, err := s.fetch(ctx, at.Join("config.json"), 1<<16)
	if err != nil {
		return "", err
	}
	var config struct {
		Download string `json:"dl"`
	}
	if err := s.decode(ctx, res.Body, "index configuration", &config); err != nil {
		return "", err
	}
	if len(config.Download) > maxTemplate {
		return "", s.garbage("index configuration", errors.New("the template of downloads is too long"))
	}
	return config.Download, nil
}

// maxTemplate bounds the template, which is filled for every version.
const maxTemplate = 1000

// cargoArchive fills the download template of an index.
func cargoArchive(template, name, version, checksum string) string {
	if !strings.Contains(template, "{") {
		return strings.TrimSuffix(template, "/") + "/" + name + "/" + version + "/download"
	}
	prefix := path.Dir(cargoPath(name))
	return strings.NewReplacer("{crate}", name, "{version}", version, "{prefix}", prefix,
		"{lowerprefix}", strings.ToLower(prefix), "{sha256-checksum}", checksum).Replace(template)
}

func (s *cargoSource) parse(body []byte, name string, at registry.Address, downloads string) (catalog.Package, error) {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.Cargo, Name: name}}
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var c cargoLine
		if err := json.Unmarshal(line, &c); err != nil {
			return p, s.garbage("index line", err)
		}
		if c.Name != name {
			// The index folds letter case, the name does not.
			return p, registry.ErrNotFound
		}
		if len(c.Version) > catalog.MaxVersion {
			continue
		}
		v := catalog.Version{
			Key: p.Key.At(c.Version), Published: timeOf(c.Published), Deprecated: c.Yanked,
			Upstream:   []catalog.Upstream{{Name: c.Name, Version: c.Version, Source: cargoUpstream}},
			Registries: []string{at.URL + "/"},
			Requires:   &catalog.Requirements{Cargo: c.requirements()},
			Artifacts:  []catalog.Artifact{{URL: cargoArchive(downloads, c.Name, c.Version, c.Checksum), Hashes: hexHash(catalog.SHA256, c.Checksum)}},
		}
		v.Links = link(catalog.LabelOrigin, v.Artifacts[0].URL)
		p.Versions = append(p.Versions, v)
	}
	return p, nil
}

func (c *cargoLine) requirements() *catalog.CargoRequirements {
	r := &catalog.CargoRequirements{Links: c.Links}
	features := maps.Clone(c.Features)
	if features == nil {
		features = c.Features2
	} else {
		maps.Copy(features, c.Features2)
	}
	for _, name := range slices.Sorted(maps.Keys(features)) {
		r.Features = append(r.Features, catalog.CargoFeature{Name: name, Implies: features[name]})
	}
	for _, d := range c.Deps {
		need := catalog.CargoRequirement{
			Name: d.Name, Requirement: d.Req, Kind: d.Kind, Optional: d.Optional,
			Defaults: d.Defaults, Features: d.Features, Target: d.Target,
		}
		if d.Package != "" {
			need.Name, need.Alias = d.Package, d.Name
		}
		r.Dependencies = append(r.Dependencies, need)
	}
	return r
}

func (s *cargoSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	if len(v.Artifacts) == 0 {
		v.Complete = true
		return &v, nil
	}
	res, ok, err := s.optional(ctx, v.Artifacts[0].URL, maxArchive)
	if err != nil {
		return nil, err
	}
	if ok {
		manifest, err := crateManifest(ctx, res.Body, v.Key.Name+"-"+v.Key.Version+"/Cargo.toml")
		if err != nil {
			return nil, s.garbage("crate archive", err)
		}
		v.Licenses, v.Links = nil, link(catalog.LabelOrigin, v.Artifacts[0].URL)
		v.Artifacts[0].Hashes = AllHashes(v.Artifacts[0].Hashes, res.Body)
		cargoMetadata(manifest, &v)
	}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}

// errFound ends the walk through an archive early.
var errFound = errors.New("found")

func crateManifest(ctx context.Context, archive []byte, name string) (string, error) {
	var text []byte
	err := eachFile(ctx, archive, func(file string, r io.Reader) error {
		if file != name {
			return nil
		}
		var err error
		if text, err = io.ReadAll(io.LimitReader(r, maxManifest)); err != nil {
			return err
		}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return "", err
	}
	return string(text), nil
}

// cargoMetadata reads the package table of a published manifest. Cargo
// rewrites manifests when it packs them, so each value is on its own line.
func cargoMetadata(manifest string, v *catalog.Version) {
	inside := false
	for line := range strings.Lines(manifest) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = line == "[package]" || line == "[project]"
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !inside || !ok {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch strings.TrimSpace(key) {
		case "license":
			v.Licenses = catalog.Licenses(value)
		case "license-file":
			if len(v.Licenses) == 0 {
				v.Licenses = []catalog.License{{Written: value, SPDX: catalog.NonStandard}}
			}
		case "repository":
			v.Links = append(v.Links, repository(value)...)
		case "homepage":
			v.Links = append(v.Links, link(catalog.LabelHome, value)...)
		case "documentation":
			v.Links = append(v.Links, link(catalog.LabelDocs, value)...)
		}
	}
}
