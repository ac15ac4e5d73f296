package source

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// gemSource reads the version API and, from mirrors without it, the compact
// index, which every gem server must have.
type gemSource struct{ origin }

const gemUpstream = "RUBYGEMS_REGISTRY"

// gemVersion is one entry of the version list: one platform of a version.
type gemVersion struct {
	Number   string   `json:"number"`
	Platform string   `json:"platform"`
	Created  string   `json:"created_at"`
	Licenses []string `json:"licenses"`
	SHA      string   `json:"sha"`
	Runtime  []catalog.Requirement
}

// gemDetail is a version's own document, or the gem's, which is about its
// newest version.
type gemDetail struct {
	Version      string   `json:"version"`
	Licenses     []string `json:"licenses"`
	Source       string   `json:"source_code_uri"`
	Bugs         string   `json:"bug_tracker_uri"`
	Home         string   `json:"homepage_uri"`
	Docs         string   `json:"documentation_uri"`
	Page         string   `json:"project_uri"`
	Yanked       bool     `json:"yanked"`
	Dependencies struct {
		Development []gemDependency `json:"development"`
		Runtime     []gemDependency `json:"runtime"`
	} `json:"dependencies"`
}

type gemDependency struct {
	Name         string `json:"name"`
	Requirements string `json:"requirements"`
}

func (s *gemSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	escaped := url.PathEscape(name)
	res, at, err := s.first(ctx, "api/v1/versions/"+escaped+".json", registry.Request{
		ETag: since.ETag, LastModified: since.LastModified,
	})
	if errors.Is(err, registry.ErrNotFound) {
		return s.compact(ctx, name, since)
	}
	if err != nil {
		return nil, err
	}
	var list []gemVersion
	if err := s.decode(ctx, res.Body, "version list", &list); err != nil {
		return nil, err
	}
	if err := s.chargeVersions(ctx, len(list)); err != nil {
		return nil, err
	}
	return listing(gemPackage(list, name, at), res)
}

// compact reads the compact index. It knows no times and no licenses.
func (s *gemSource) compact(ctx context.Context, name string, since Validators) (*Listing, error) {
	res, at, err := s.first(ctx, "info/"+url.PathEscape(name), registry.Request{
		ETag: since.ETag, LastModified: since.LastModified,
	})
	if err != nil {
		return nil, err
	}
	if err := s.chargeVersions(ctx, lines(res.Body)); err != nil {
		return nil, err
	}
	if err := registry.Charge(ctx, int64(bytes.Count(res.Body, []byte(",")))*valueWeight); err != nil {
		return nil, err
	}
	return listing(gemPackage(compactIndex(res.Body), name, at), res)
}

// compactIndex reads lines of the form
// "1.2.3-platform dep:>= 1&< 3,other:= 2|checksum:HEX,ruby:>= 2".
func compactIndex(body []byte) []gemVersion {
	var list []gemVersion
	for line := range bytes.Lines(body) {
		number, rest, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if !ok || number == "" || strings.HasPrefix(number, "-") {
			continue
		}
		v := gemVersion{}
		v.Number, v.Platform, _ = strings.Cut(number, "-")
		needs, facts, _ := strings.Cut(rest, "|")
		for _, need := range strings.Split(needs, ",") {
			if dep, req, ok := strings.Cut(need, ":"); ok {
				v.Runtime = append(v.Runtime, catalog.Requirement{
					Name: dep, Requirement: strings.ReplaceAll(req, "&", ", "),
				})
			}
		}
		for _, fact := range strings.Split(facts, ",") {
			if sum, ok := strings.CutPrefix(fact, "checksum:"); ok {
				v.SHA = sum
			}
		}
		list = append(list, v)
	}
	return list
}

// gemPackage joins the platforms of each version.
func gemPackage(list []gemVersion, name string, at registry.Address) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.RubyGems, Name: name}}
	index := map[string]int{}
	for i := range list {
		g := &list[i]
		if len(g.Number) > catalog.MaxVersion {
			continue
		}
		n, seen := index[g.Number]
		if !seen {
			n = len(p.Versions)
			index[g.Number] = n
			p.Versions = append(p.Versions, catalog.Version{
				Key: p.Key.At(g.Number), Registries: []string{at.URL + "/"},
				Upstream: []catalog.Upstream{{Name: name, Version: g.Number, Source: gemUpstream}},
				Licenses: catalog.Licenses(g.Licenses...),
				Links:    link(catalog.LabelOrigin, at.Join("api/v2/rubygems/"+url.PathEscape(name)+"/versions/"+url.PathEscape(g.Number)+".json")),
				Requires: &catalog.Requirements{RubyGems: &catalog.RubyGemsRequirements{Runtime: g.Runtime}},
			})
		}
		v := &p.Versions[n]
		if seen && (g.Platform == "" || g.Platform == "ruby") {
			// Files come in the order they were pushed; the one for every
			// platform speaks for the version.
			v.Requires.RubyGems.Runtime = g.Runtime
		}
		if t := timeOf(g.Created); !t.IsZero() && (v.Published.IsZero() || t.Before(v.Published)) {
			v.Published = t
		}
		file := name + "-" + g.Number
		if g.Platform != "" && g.Platform != "ruby" {
			file += "-" + g.Platform
		}
		v.Artifacts = append(v.Artifacts, catalog.Artifact{
			URL: at.Join("gems/" + url.PathEscape(file) + ".gem"), Hashes: hexHash(catalog.SHA256, g.SHA),
		})
	}
	return p
}

func (s *gemSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	d, err := s.detail(ctx, &v)
	if errors.Is(err, registry.ErrNotFound) {
		v.Complete = true
		return &v, nil
	}
	if err != nil {
		return nil, err
	}
	v.Deprecated = v.Deprecated || d.Yanked
	if len(v.Licenses) == 0 {
		v.Licenses = catalog.Licenses(d.Licenses...)
	}
	source := repository(d.Source)
	if _, ok := catalog.ProjectOf(d.Home); ok && len(source) == 0 {
		source = repository(d.Home)
	}
	v.Links = addLinks(v.Links, concat(source, link(catalog.LabelIssues, d.Bugs), link(catalog.LabelHome, d.Home), link(catalog.LabelDocs, d.Docs)))
	v.Requires = &catalog.Requirements{RubyGems: &catalog.RubyGemsRequirements{
		Runtime: gemRequirements(d.Dependencies.Runtime), Dev: gemRequirements(d.Dependencies.Development),
	}}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}

// detail reads the version's document. Mirrors that have none may have the
// gem's, which will do for the newest version.
func (s *gemSource) detail(ctx context.Context, v *catalog.Version) (d gemDetail, err error) {
	name := url.PathEscape(v.Key.Name)
	res, _, err := s.first(ctx, "api/v2/rubygems/"+name+"/versions/"+url.PathEscape(v.Key.Version)+".json",
		registry.Request{MaxBody: maxDescriptor})
	if err == nil {
		return d, s.decode(ctx, res.Body, "version document", &d)
	}
	if !errors.Is(err, registry.ErrNotFound) || !v.Default {
		return d, err
	}
	if res, _, err = s.first(ctx, "api/v1/gems/"+name+".json", registry.Request{MaxBody: maxDescriptor}); err != nil {
		return d, err
	}
	if err = s.decode(ctx, res.Body, "gem document", &d); err == nil && d.Version != v.Key.Version {
		err = registry.ErrNotFound
	}
	return d, err
}

func gemRequirements(list []gemDependency) []catalog.Requirement {
	var out []catalog.Requirement
	for _, d := range list {
		out = append(out, catalog.Requirement{Name: d.Name, Requirement: d.Requirements})
	}
	return out
}
