package source

import (
	"net/url"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

func validators(res *registry.Response) Validators {
	return Validators{ETag: res.ETag, LastModified: res.LastModified}
}

// listing finishes a package read from a registry. A list without a single
// usable version is no package.
func listing(p catalog.Package, res *registry.Response) (*Listing, error) {
	kept := p.Versions[:0]
	for _, v := range p.Versions {
		if v.Key.Check() == nil {
			v.Related = catalog.Relate(&v)
			kept = append(kept, v)
		}
	}
	p.Versions = kept
	if len(p.Versions) == 0 {
		return nil, registry.ErrNotFound
	}
	p.Normalize()
	return &Listing{Package: p, Validators: validators(res)}, nil
}

// link makes a link of what an author wrote, if it is a web address at all.
func link(label, address string) []catalog.Link {
	address = strings.TrimSpace(address)
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || len(address) > 2000 {
		return nil
	}
	u.User = nil
	return []catalog.Link{{Label: label, URL: u.String()}}
}

// repository makes the source link of a repository address in any spelling.
func repository(address string) []catalog.Link {
	if repository, ok := catalog.RepositoryOf(address); ok {
		return []catalog.Link{{Label: catalog.LabelSource, URL: "https://" + repository}}
	}
	address = strings.TrimPrefix(address, "git+")
	return link(catalog.LabelSource, address)
}

// timeOf reads a publish time; the zero time stands for none.
func timeOf(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05 MST"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1900 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// concat joins lists of links.
func concat[T any](lists ...[]T) []T {
	var all []T
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
