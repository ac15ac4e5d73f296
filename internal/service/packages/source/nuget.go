package source

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// nugetSource speaks the V3 protocol: a service index names the resources,
// the registration resource lists versions, the catalog has their hashes.
type nugetSource struct{ origin }

const (
	nugetUpstream = "NUGET_REGISTRY"
	maxPages      = 256
)

type nugetPage struct {
	ID    string      `json:"@id"`
	Items []nugetLeaf `json:"items"`
}

type nugetLeaf struct {
	Content string     `json:"packageContent"`
	Entry   nugetEntry `json:"catalogEntry"`
}

// nugetEntry is the catalog entry as registrations embed it; the hash members
// stand only in the entry's own document.
type nugetEntry struct {
	ID         string          `json:"@id"`
	Name       string          `json:"id"`
	Version    string          `json:"version"`
	Published  string          `json:"published"`
	Listed     *bool           `json:"listed"`
	License    string          `json:"licenseExpression"`
	LicenseURL string          `json:"licenseUrl"`
	Project    string          `json:"projectUrl"`
	Deprecated json.RawMessage `json:"deprecation"`
	Groups     []struct {
		Framework    string `json:"targetFramework"`
		Dependencies []struct {
			Name  string `json:"id"`
			Range string `json:"range"`
		} `json:"dependencies"`
	} `json:"dependencyGroups"`
	Hash          string `json:"packageHash"`
	HashAlgorithm string `json:"packageHashAlgorithm"`
}

// resources finds the registration and content resources of an index.
func (s *nugetSource) resources(ctx context.Context, at registry.Address) (registrations, content string, err error) {
	address := at.URL
	if !strings.HasSuffix(address, ".json") {
		address = at.Join("v3/index.json")
	}
	res, err := s.fetch(ctx, address, 1<<20)
	if err != nil {
		return "", "", err
	}
	var index struct {
		Resources []struct {
			ID   string `json:"@id"`
			Type string `json:"@type"`
		} `json:"resources"`
	}
	if err := s.decode(ctx, res.Body, "service index", &index); err != nil {
		return "", "", err
	}
	best := -1
	for _, r := range index.Resources {
		switch {
		case strings.HasPrefix(r.Type, "RegistrationsBaseUrl"):
			// Later ones know semantic versions 2.0; Versioned is the newest.
			if rank := registrationRank(r.Type); rank > best {
				best, registrations = rank, strings.TrimSuffix(r.ID, "/")
			}
		case strings.HasPrefix(r.Type, "PackageBaseAddress"):
			content = strings.TrimSuffix(r.ID, "/")
		}
	}
	if registrations == "" {
		return "", "", s.garbage("service index", errors.New("it names no registrations"))
	}
	return registrations, content, nil
}

func registrationRank(kind string) int {
	switch kind {
	case "RegistrationsBaseUrl/Versioned":
		return 3
	case "RegistrationsBaseUrl/3.6.0":
		return 2
	case "RegistrationsBaseUrl/3.4.0":
		return 1
	}
	return 0
}

func (s *nugetSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	failed := error(registry.ErrNotFound)
	for _, at := range s.at {
		registrations, content, err := s.resources(ctx, at)
		if err == nil {
			var got *Listing
			if got, err = s.registration(ctx, registrations, content, name, at, since); err == nil ||
				errors.Is(err, registry.ErrNotModified) {
				return got, err
			}
		}
		if !errors.Is(err, registry.ErrNotFound) {
			failed = err
		}
	}
	return nil, failed
}

func (s *nugetSource) registration(
	ctx context.Context, base, content, name string, at registry.Address, since Validators,
) (*Listing, error) {
	res, err := s.get.Get(ctx, registry.Request{
		URL: base + "/" + url.PathEscape(name) + "/index.json", ETag: since.ETag, LastModified: since.LastModified,
	})
	if err != nil {
		return nil, err
	}
	var index struct {
		Pages []nugetPage `json:"items"`
	}
	if err := s.decode(ctx, res.Body, "registration", &index); err != nil {
		return nil, err
	}
	if len(index.Pages) > maxPages {
		return nil, s.garbage("registration", errors.New("too many pages"))
	}
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NuGet, Name: name}}
	for _, page := range index.Pages {
		if len(page.Items) == 0 {
			// Long lists keep their pages in documents of their own.
			one, err := s.fetch(ctx, page.ID, 0)
			if err != nil {
				return nil, err
			}
			if err := s.decode(ctx, one.Body, "registration page", &page); err != nil {
				return nil, err
			}
		}
		if err := s.chargeVersions(ctx, len(p.Versions)+len(page.Items)); err != nil {
			return nil, err
		}
		for i := range page.Items {
			if len(page.Items[i].Entry.Version) > catalog.MaxVersion {
				continue
			}
			p.Versions = append(p.Versions, nugetVersion(&page.Items[i], p.Key, content, at))
		}
	}
	return listing(p, res)
}

func nugetVersion(leaf *nugetLeaf, key catalog.PackageKey, content string, at registry.Address) catalog.Version {
	e := &leaf.Entry
	v := catalog.Version{
		Key:       key.At(catalog.CanonicalVersion(catalog.NuGet, e.Version)),
		Published: timeOf(e.Published),
		Deprecated: e.Listed != nil && !*e.Listed || strings.HasPrefix(e.Published, "1900") || len(e.Deprecated) > 0 &&
			string(e.Deprecated) != "null",
		Upstream:   []catalog.Upstream{{Name: e.Name, Version: e.Version, Source: nugetUpstream}},
		Registries: []string{at.URL},
		Licenses:   catalog.Licenses(e.License),
		Links:      concat(link(catalog.LabelHome, e.Project), link(catalog.LabelOrigin, e.ID)),
		Requires:   &catalog.Requirements{NuGet: &catalog.NuGetRequirements{}},
	}
	if _, ok := catalog.ProjectOf(e.Project); ok {
		v.Links = append(v.Links, repository(e.Project)...)
	}
	if len(v.Licenses) == 0 && e.LicenseURL != "" {
		v.Licenses = catalog.Licenses(e.LicenseURL)
	}
	for _, g := range e.Groups {
		group := catalog.NuGetGroup{TargetFramework: g.Framework}
		for _, d := range g.Dependencies {
			group.Dependencies = append(group.Dependencies, catalog.Requirement{
				Name: catalog.CanonicalName(catalog.NuGet, d.Name), Requirement: d.Range,
			})
		}
		v.Requires.NuGet.Groups = append(v.Requires.NuGet.Groups, group)
	}
	archive := leaf.Content
	if archive == "" && content != "" {
		archive = content + "/" + key.Name + "/" + v.Key.Version + "/" + key.Name + "." + v.Key.Version + ".nupkg"
	}
	if archive != "" {
		v.Artifacts = []catalog.Artifact{{URL: archive}}
	}
	return v
}

func (s *nugetSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	for _, l := range v.Links {
		if l.Label != catalog.LabelOrigin || len(v.Artifacts) == 0 {
			continue
		}
		res, ok, err := s.optional(ctx, l.URL, maxDescriptor)
		if err != nil {
			return nil, err
		}
		var e nugetEntry
		if ok && json.Unmarshal(res.Body, &e) == nil {
			v.Artifacts[0].Hashes = base64Hash(catalog.HashType(e.HashAlgorithm), e.Hash)
		}
	}
	if err := s.specification(ctx, &v); err != nil {
		return nil, err
	}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}

// specification reads the repository out of the nuspec, which stands beside
// the archive in every content resource.
func (s *nugetSource) specification(ctx context.Context, v *catalog.Version) error {
	if len(v.Artifacts) == 0 {
		return nil
	}
	folder := v.Artifacts[0].URL[:strings.LastIndexByte(v.Artifacts[0].URL, '/')+1]
	res, ok, err := s.optional(ctx, folder+v.Key.Name+".nuspec", maxDescriptor)
	if err != nil || !ok {
		return err
	}
	var spec struct {
		Metadata struct {
			License struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"license"`
			Repository struct {
				URL string `xml:"url,attr"`
			} `xml:"repository"`
		} `xml:"metadata"`
	}
	if xml.Unmarshal(res.Body, &spec) != nil {
		return nil
	}
	if spec.Metadata.License.Type == "expression" && len(v.Licenses) == 0 {
		v.Licenses = catalog.Licenses(spec.Metadata.License.Text)
	}
	if source := repository(spec.Metadata.Repository.URL); len(source) > 0 && !hasLabel(v.Links, catalog.LabelSource) {
		v.Links = append(v.Links, source...)
	}
	return nil
}
