package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// goSource speaks the module proxy protocol.
type goSource struct{ origin }

// goUpstream is the name of the source in upstream identifiers.
const goUpstream = "GO_MODULE_PROXY"

// The most that is read of a module: its zip may not be larger by the
// proxy's own rule, and a license file is never this long.
const (
	maxModuleZip = 64 << 20
	maxLicense   = 1 << 20
	maxModfile   = 1 << 20
	// maxRetractSteps bounds versions times retractions.
	maxRetractSteps = 5_000_000
	// maxLicenses bounds how many license files are read.
	maxLicenses = 32
)

type goInfo struct {
	Version string
	Time    string
	Origin  *struct {
		VCS, URL, Ref, Hash string
	}
}

func (s *goSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	escaped, err := module.EscapePath(name)
	if err != nil {
		return nil, registry.ErrNotFound
	}
	res, _, err := s.first(ctx, escaped+"/@v/list", registry.Request{
		ETag: since.ETag, LastModified: since.LastModified, MaxBody: 8 << 20,
	})
	if err != nil {
		return nil, err
	}
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.Go, Name: name}}
	if err := s.chargeVersions(ctx, lines(res.Body)); err != nil {
		return nil, err
	}
	for _, version := range goList(res.Body) {
		p.Versions = append(p.Versions, catalog.Version{Key: p.Key.At(version)})
	}
	if len(p.Versions) == 0 {
		// A module without tags has only the version its head stands for.
		info, err := s.info(ctx, escaped+"/@latest")
		if err != nil {
			return nil, err
		}
		p.Versions = []catalog.Version{{Key: p.Key.At(info.Version), Published: timeOf(info.Time)}}
	}
	if err := s.retract(ctx, escaped, &p); err != nil {
		return nil, err
	}
	return listing(p, res)
}

// goList keeps the lines that are versions; proxies are free to send more.
func goList(body []byte) []string {
	var list []string
	for line := range strings.Lines(string(body)) {
		if v := strings.TrimSpace(line); semver.IsValid(v) {
			list = append(list, v)
		}
	}
	return list
}

// retract marks the versions that the newest go.mod takes back. Retraction is
// written in the highest version, whichever it takes back.
func (s *goSource) retract(ctx context.Context, escaped string, p *catalog.Package) error {
	p.Normalize()
	if len(p.Versions) == 0 {
		return nil
	}
	newest := p.Versions[len(p.Versions)-1].Key.Version
	for _, v := range p.Versions {
		if v.Default {
			newest = v.Key.Version
		}
	}
	mod, err := s.modfile(ctx, escaped, newest)
	if err != nil || mod == nil {
		return err
	}
	steps := budget.NewSteps(ctx, maxRetractSteps)
	gone := mod.Module != nil && mod.Module.Deprecated != ""
	for i := range p.Versions {
		v := &p.Versions[i]
		v.Deprecated = gone
		if err := steps.Take(int64(len(mod.Retract))); err != nil {
			return s.garbage("go.mod", err)
		}
		for _, r := range mod.Retract {
			if semver.Compare(r.Low, v.Key.Version) <= 0 && semver.Compare(v.Key.Version, r.High) <= 0 {
				v.Deprecated = true
			}
		}
	}
	return nil
}

// modfile reads a version's go.mod; nil means that the proxy has none or that
// it is one that only older go commands could read.
func (s *goSource) modfile(ctx context.Context, escaped, version string) (*modfile.File, error) {
	v, err := module.EscapeVersion(version)
	if err != nil {
		return nil, nil
	}
	res, _, err := s.first(ctx, escaped+"/@v/"+v+".mod", registry.Request{MaxBody: maxModfile})
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := registry.Charge(ctx, int64(lines(res.Body))*lineWeight); err != nil {
		return nil, err
	}
	file, err := modfile.ParseLax("go.mod", res.Body, nil)
	if err != nil {
		return nil, nil
	}
	return file, nil
}

func (s *goSource) info(ctx context.Context, at string) (goInfo, error) {
	var info goInfo
	res, _, err := s.first(ctx, at, registry.Request{MaxBody: 1 << 20})
	if err != nil {
		return info, err
	}
	if err := s.decode(ctx, res.Body, "version info", &info); err != nil {
		return info, err
	}
	if !semver.IsValid(info.Version) {
		return info, s.garbage("version info", errors.New("no version in it"))
	}
	return info, nil
}

func (s *goSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	escaped, err := module.EscapePath(v.Key.Name)
	if err != nil {
		return nil, registry.ErrNotFound
	}
	version, err := module.EscapeVersion(v.Key.Version)
	if err != nil {
		return nil, registry.ErrNotFound
	}
	info, err := s.info(ctx, escaped+"/@v/"+version+".info")
	if err != nil {
		return nil, err
	}
	v.Published = timeOf(info.Time)
	v.Upstream = []catalog.Upstream{{Name: v.Key.Name, Version: info.Version, Source: goUpstream}}
	v.Links, v.Related = nil, nil
	if info.Origin != nil {
		v.Links = repository(info.Origin.URL)
		if project, ok := catalog.ProjectOf(info.Origin.URL); ok {
			v.Related = []catalog.Relation{{Project: project, Provenance: catalog.FromGoOrigin, Type: catalog.SourceRepo}}
		}
	}
	if len(v.Links) == 0 {
		v.Links = repository("https://" + v.Key.Name)
		if _, ok := catalog.ProjectOf("https://" + v.Key.Name); !ok {
			v.Links = nil
		}
	}
	mod, err := s.modfile(ctx, escaped, v.Key.Version)
	if err != nil {
		return nil, err
	}
	v.Requires = goRequirements(mod)
	if err := s.licenses(ctx, escaped+"/@v/"+version+".zip", &v); err != nil {
		return nil, err
	}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}

// Requires reads the go.mod alone.
func (s *goSource) Requires(ctx context.Context, k catalog.VersionKey) (*catalog.Requirements, error) {
	escaped, err := module.EscapePath(k.Name)
	if err != nil {
		return nil, registry.ErrNotFound
	}
	mod, err := s.modfile(ctx, escaped, k.Version)
	if err == nil && mod == nil {
		err = registry.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return goRequirements(mod), nil
}

func goRequirements(mod *modfile.File) *catalog.Requirements {
	r := &catalog.Requirements{Go: goRequires(mod)}
	if mod != nil && mod.Go != nil {
		r.Install = &catalog.Install{GoVersion: mod.Go.Version}
	}
	return r
}

func goRequires(mod *modfile.File) *catalog.GoRequirements {
	r := &catalog.GoRequirements{}
	if mod == nil {
		return r
	}
	for _, line := range mod.Require {
		need := catalog.Requirement{Name: line.Mod.Path, Requirement: line.Mod.Version}
		if line.Indirect {
			r.Indirect = append(r.Indirect, need)
		} else {
			r.Direct = append(r.Direct, need)
		}
	}
	return r
}

// licenses scans the license files of the module's zip. A module that is too
// large, or that the proxy has lost, has unknown licenses.
func (s *goSource) licenses(ctx context.Context, at string, v *catalog.Version) error {
	res, _, err := s.first(ctx, at, registry.Request{MaxBody: maxModuleZip})
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	entries := bytes.Count(res.Body, []byte("PK\x01\x02"))
	if entries > maxEntries {
		return s.garbage("module zip", errors.New("too many entries"))
	}
	if err := registry.Charge(ctx, int64(entries)*entryWeight); err != nil {
		return err
	}
	found, err := scanLicenses(res.Body, v.Key.Name+"@"+v.Key.Version+"/")
	if err != nil {
		return s.garbage("module zip", err)
	}
	v.Licenses = found
	return nil
}

// scanLicenses detects the licenses in the license files at the root of a
// module zip.
func scanLicenses(archive []byte, root string) ([]catalog.License, error) {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	var ids []string
	custom, read := false, 0
	for _, f := range files.File {
		name, ok := strings.CutPrefix(f.Name, root)
		if !ok || !isLicenseFile(name) || f.UncompressedSize64 > maxLicense {
			continue
		}
		if read++; read > maxLicenses {
			break
		}
		text, err := readZip(f)
		if err != nil {
			return nil, err
		}
		found, known := recognizeLicense(text)
		ids, custom = append(ids, found...), custom || !known
	}
	list := catalog.Licenses(ids...)
	if len(list) == 0 && custom {
		return []catalog.License{{Written: catalog.NonStandard, SPDX: catalog.NonStandard}}, nil
	}
	return list, nil
}

func isLicenseFile(name string) bool {
	if path.Dir(name) != "." {
		return false
	}
	base := strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".txt"), ".md"), ".rst"))
	base, _, _ = strings.Cut(base, "-")
	base, _, _ = strings.Cut(base, ".")
	switch base {
	case "LICENSE", "LICENCE", "COPYING", "UNLICENSE", "MIT", "APACHE", "BSD":
		return true
	}
	return false
}

func readZip(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read from
	return io.ReadAll(io.LimitReader(r, maxLicense))
}
