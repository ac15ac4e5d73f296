package source

import (
	"context"
	"errors"
	"mime"
	"net/url"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// pypiSource reads the simple repository API in its JSON form (PEP 691) or,
// from mirrors that lack it, in its HTML form (PEP 503), and completes a
// version from the core metadata of one of its files (PEP 658).
type pypiSource struct{ origin }

const (
	pypiUpstream = "PYPI_REGISTRY"
	pypiAccept   = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
	pypiJSON     = "application/vnd.pypi.simple.v1+json"
)

// pypiFile is one distribution file of a project page.
type pypiFile struct {
	Filename   string            `json:"filename"`
	URL        string            `json:"url"`
	Hashes     map[string]string `json:"hashes"`
	Uploaded   string            `json:"upload-time"`
	Yanked     any               `json:"yanked"`
	Metadata   any               `json:"core-metadata"`
	Provenance string            `json:"provenance"`
	Python     string            `json:"requires-python"`
}

func (s *pypiSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	res, at, err := s.first(ctx, url.PathEscape(name)+"/", registry.Request{
		Accept: pypiAccept, ETag: since.ETag, LastModified: since.LastModified,
	})
	if err != nil {
		return nil, err
	}
	files, err := s.files(ctx, res)
	if err != nil {
		return nil, err
	}
	return listing(pypiPackage(files, name, at), res)
}

// files reads a project page in the form it came in.
func (s *pypiSource) files(ctx context.Context, res *registry.Response) ([]pypiFile, error) {
	var files []pypiFile
	kind, _, _ := mime.ParseMediaType(res.ContentType)
	if kind == pypiJSON || kind == "application/json" {
		var page struct {
			Files []pypiFile `json:"files"`
		}
		if err := s.decode(ctx, res.Body, "project page", &page); err != nil {
			return nil, err
		}
		files = page.Files
	} else {
		err := chargeMarkup(ctx, res.Body)
		if err != nil {
			return nil, err
		}
		if files, err = pypiLinks(res.Body); err != nil {
			return nil, s.garbage("project page", err)
		}
	}
	// Each file may be a version.
	if err := registry.Charge(ctx, int64(len(files))*versionWeight); err != nil {
		return nil, err
	}
	base, err := url.Parse(res.URL)
	if err != nil {
		return nil, s.garbage("project page", err)
	}
	for i := range files {
		if u, err := base.Parse(files[i].URL); err == nil {
			u.Fragment = ""
			files[i].URL = u.String()
		}
	}
	return files, nil
}

// pypiPackage groups the files by version. Only wheels and source
// distributions count: what else an index may hold is no release by the
// contract.
func pypiPackage(files []pypiFile, name string, at registry.Address) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.PyPI, Name: name}}
	index := map[string]int{}
	standing := map[string]bool{}
	for i := range files {
		f := &files[i]
		written, ok := pypiVersion(f.Filename, name)
		if !ok {
			continue
		}
		version := catalog.CanonicalVersion(catalog.PyPI, written)
		at0, seen := index[version]
		if !seen {
			at0 = len(p.Versions)
			index[version] = at0
			p.Versions = append(p.Versions, catalog.Version{
				Key: p.Key.At(version), Registries: []string{at.URL + "/"},
				Upstream: []catalog.Upstream{{Name: name, Version: written, Source: pypiUpstream}},
				Links:    link(catalog.LabelOrigin, at.Join(url.PathEscape(name)+"/")),
				Requires: &catalog.Requirements{PyPI: &catalog.PyPIRequirements{Unknown: notReadYet}},
			})
		}
		v := &p.Versions[at0]
		if v.Requires.PyPI.Python == "" {
			v.Requires.PyPI.Python = f.Python
		}
		v.Artifacts = append(v.Artifacts, catalog.Artifact{URL: f.URL, Hashes: f.hashes()})
		if f.Provenance != "" {
			v.Links = append(v.Links, link(catalog.LabelAttests, f.Provenance)...)
		}
		if t := timeOf(f.Uploaded); !t.IsZero() && (v.Published.IsZero() || t.Before(v.Published)) {
			v.Published = t.Truncate(time.Microsecond)
		}
		standing[version] = standing[version] || !f.yanked()
	}
	for i := range p.Versions {
		// A version is withdrawn when every file of it is.
		p.Versions[i].Deprecated = !standing[p.Versions[i].Key.Version]
	}
	return p
}

// notReadYet is why the requirements of a version that was only listed are not
// known.
const notReadYet = "its metadata was not read"

func (f *pypiFile) hashes() []catalog.Hash {
	return concat(hexHash(catalog.SHA256, f.Hashes["sha256"]), hexHash(catalog.SHA512, f.Hashes["sha512"]),
		hexHash(catalog.SHA1, f.Hashes["sha1"]), hexHash(catalog.MD5, f.Hashes["md5"]))
}

// yanked is true or a reason, which may be empty only in the HTML form.
func (f *pypiFile) yanked() bool {
	switch y := f.Yanked.(type) {
	case bool:
		return y
	case string:
		return true
	}
	return false
}

// maxFilename is more than any file system takes. Each hyphen of a name is tried.
const maxFilename = 512

// pypiVersion takes the version out of a file name. The project's name is
// known, which settles where a source distribution's version begins.
func pypiVersion(file, name string) (string, bool) {
	if len(file) > maxFilename {
		return "", false
	}
	if base, ok := strings.CutSuffix(file, ".whl"); ok {
		parts := strings.Split(base, "-")
		if len(parts) < 5 || catalog.CanonicalName(catalog.PyPI, parts[0]) != name {
			return "", false
		}
		return parts[1], true
	}
	for _, extension := range []string{".tar.gz", ".zip", ".tar.bz2", ".tgz"} {
		base, ok := strings.CutSuffix(file, extension)
		if !ok {
			continue
		}
		for i := len(base) - 1; i > 0; i-- {
			if base[i] == '-' && catalog.CanonicalName(catalog.PyPI, base[:i]) == name {
				return base[i+1:], base[i+1:] != ""
			}
		}
	}
	return "", false
}

func (s *pypiSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	found, err := s.metadata(ctx, &v)
	if err != nil {
		return nil, err
	}
	var attests []catalog.Link
	kept := v.Links[:0:0]
	for _, l := range v.Links {
		switch l.Label {
		case catalog.LabelOrigin:
			kept = append(kept, l)
		case catalog.LabelAttests:
			attests = append(attests, l)
		}
	}
	v.Links = append(kept, attests...)
	python := ""
	if v.Requires != nil && v.Requires.PyPI != nil {
		python = v.Requires.PyPI.Python
	}
	readMetadata(found, &v)
	if v.Requires.PyPI.Python == "" {
		v.Requires.PyPI.Python = python
	}
	v.Attested = nil
	for _, l := range attests {
		if err := s.provenance(ctx, l.URL, &v); err != nil {
			return nil, err
		}
	}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}

func (s *pypiSource) provenance(ctx context.Context, at string, v *catalog.Version) error {
	res, ok, err := s.optional(ctx, at, maxAttestations)
	if err != nil || !ok {
		return err
	}
	var file catalog.Artifact
	for _, a := range v.Artifacts {
		if strings.Contains(at, "/"+a.URL[strings.LastIndexByte(a.URL, '/')+1:]+"/") {
			file = a
		}
	}
	list, err := s.readProvenance(ctx, res.Body, at, file)
	var garbage *GarbageError
	if errors.As(err, &garbage) {
		return nil
	}
	v.Attested = append(v.Attested, list...)
	return err
}
