package source

import (
	"archive/zip"
	"context"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// pypiFound is the metadata of a version and where it was found.
type pypiFound struct {
	text string
	// reason is why there is no text.
	reason string
	// source means that it is that of a source distribution, requires what such a
	// one without requirements in its metadata was packed with.
	source   bool
	requires []string
}

// Why the requirements of a version are not known.
const (
	noFile     = "the index has no file of it that tells them"
	unreadable = "no file of it could be read"
	isDynamic  = "they are found out when its source distribution is built"
	asPacked   = "these are what its source distribution was packed with, building it may give others"
)

// unknown is why the requirements are not known for certain. Metadata of a wheel
// is final; that of a source distribution is since version 2.2, for what it does
// not call dynamic.
func (f *pypiFound) unknown(m pypiMetadata) string {
	switch {
	case f.text == "":
		return f.reason
	case !f.source:
		return ""
	case slices.Contains(m.dynamic, "requires-dist"):
		return isDynamic
	case m.final():
		return ""
	case len(m.requires)+len(f.requires) > 0:
		return asPacked
	}
	return isDynamic
}

// final reports whether the metadata's version is one in which what is not
// dynamic is fixed: 2.2 or later.
func (m *pypiMetadata) final() bool {
	major, minor, _ := strings.Cut(m.version, ".")
	return len(major) > 1 || major > "2" || major == "2" && (len(minor) > 1 || minor >= "2")
}

// metadata reads the core metadata where pip does: beside a wheel, in the wheel,
// or in the source distribution.
func (s *pypiSource) metadata(ctx context.Context, v *catalog.Version) (pypiFound, error) {
	found := pypiFound{reason: noFile}
	wheel, sdist := bestWheel(v.Artifacts), -1
	for i, a := range v.Artifacts {
		if strings.HasSuffix(a.URL, ".tar.gz") || strings.HasSuffix(a.URL, ".tgz") {
			sdist = i
		}
	}
	if wheel >= 0 {
		found.reason = unreadable
		res, ok, err := s.optional(ctx, v.Artifacts[wheel].URL+".metadata", maxDescriptor)
		if err != nil {
			return found, err
		}
		if ok {
			found.text = string(res.Body)
			return found, nil
		}
		text, err := s.wheelMetadata(ctx, &v.Artifacts[wheel])
		if err != nil || text != "" {
			found.text = text
			return found, err
		}
	}
	if sdist < 0 {
		return found, nil
	}
	found.reason = unreadable
	res, ok, err := s.optional(ctx, v.Artifacts[sdist].URL, maxArchive)
	if err != nil || !ok {
		return found, err
	}
	v.Artifacts[sdist].Hashes = AllHashes(v.Artifacts[sdist].Hashes, res.Body)
	found.source = true
	if found.text, found.requires, err = packageInfo(ctx, res.Body); err != nil {
		return found, s.garbage("source distribution", err)
	}
	return found, nil
}

// bestWheel is the wheel to read: one for every platform, else one for 64-bit
// Linux, else any, and of these the latest build; -1 without wheels.
func bestWheel(artifacts []catalog.Artifact) int {
	best, rank := -1, int64(0)
	for i, a := range artifacts {
		is := int64(0)
		switch {
		case strings.HasSuffix(a.URL, "-none-any.whl"):
			is = 3
		case strings.HasSuffix(a.URL, "x86_64.whl") && strings.Contains(path.Base(a.URL), "linux"):
			is = 2
		case strings.HasSuffix(a.URL, ".whl"):
			is = 1
		}
		if is > 0 {
			is = is<<32 + buildOf(path.Base(a.URL))
		}
		if is > 0 && is >= rank {
			best, rank = i, is
		}
	}
	return best
}

// buildOf is the build number in a wheel's name, between its version and tags.
func buildOf(name string) int64 {
	parts := strings.Split(name, "-")
	if len(parts) != 6 {
		return 0
	}
	digits := strings.TrimRight(parts[2], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.")
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0
	}
	return int64(n) + 1 //nolint:gosec // it has 31 bits
}

// wheelMetadata reads METADATA out of a wheel, asking for the parts of the
// archive that hold it. A wheel that is not readable has none.
func (s *pypiSource) wheelMetadata(ctx context.Context, a *catalog.Artifact) (string, error) {
	parts := &parts{ctx: ctx, get: s.get, url: a.URL}
	if err := parts.open(); absent(err) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	if parts.whole {
		a.Hashes = AllHashes(a.Hashes, parts.held[0].body)
	}
	if err := registry.Charge(ctx, parts.entries()*entryWeight); err != nil {
		return "", err
	}
	files, err := zip.NewReader(parts, parts.size)
	if parts.failed != nil {
		return "", parts.failed
	}
	if err != nil {
		return "", s.garbage("wheel", err)
	}
	for _, f := range files.File {
		if path.Base(f.Name) != "METADATA" || !strings.HasSuffix(path.Dir(f.Name), ".dist-info") ||
			strings.Count(f.Name, "/") != 1 {
			continue
		}
		text, err := readZip(f)
		if parts.failed != nil {
			return "", parts.failed
		}
		if err != nil {
			return "", s.garbage("wheel", err)
		}
		return string(text), nil
	}
	return "", nil
}

// packageInfo finds the PKG-INFO at the root of a source distribution, and the
// requirements that setuptools wrote beside it.
func packageInfo(ctx context.Context, archive []byte) (info string, requires []string, err error) {
	err = eachFile(ctx, archive, func(name string, r io.Reader) error {
		_, inner, _ := strings.Cut(path.Clean(name), "/")
		isInfo := inner == "PKG-INFO"
		if !isInfo && !strings.HasSuffix(inner, ".egg-info/requires.txt") {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(r, maxDescriptor))
		if err != nil {
			return err
		}
		if isInfo {
			info = string(text)
		} else if requires == nil {
			requires = eggRequires(string(text))
		}
		return nil
	})
	if m := parseMetadata(info); len(m.requires) > 0 || m.final() {
		requires = nil
	}
	return info, requires, err
}

// eggRequires reads requires.txt: lines of requirements under headings of the
// form [extra:marker].
func eggRequires(text string) []string {
	var list []string
	condition := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			extra, marker, _ := strings.Cut(strings.Trim(line, "[]"), ":")
			condition = strings.TrimSpace(marker)
			if extra != "" {
				wanted := `extra == "` + strings.ReplaceAll(extra, `"`, "") + `"`
				if condition != "" {
					wanted = "(" + condition + ") and " + wanted
				}
				condition = wanted
			}
		case condition != "":
			list = append(list, line+"; "+condition)
		default:
			list = append(list, line)
		}
	}
	return list
}
