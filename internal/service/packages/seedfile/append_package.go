package seedfile

import (
	"slices"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Append adds the package as a seed file has it. One that came from elsewhere is left
// out: more may be known of it than a seed file says.
func Append(list []Package, p catalog.Package) []Package {
	out := Package{System: string(p.Key.System), Name: p.Key.Name, Latest: p.Tag}
	for _, v := range p.Versions {
		if !slices.ContainsFunc(v.Upstream, seeded) {
			return list
		}
		out.Versions = append(out.Versions, versionOf(v))
	}
	return append(list, out)
}

func seeded(u catalog.Upstream) bool { return u.Source == source || u.Source == demoSource }

func versionOf(v catalog.Version) Version {
	out := Version{Version: v.Key.Version, Deprecated: v.Deprecated}
	if !v.Published.IsZero() {
		out.Published = &v.Published
	}
	for _, l := range v.Licenses {
		out.Licenses = append(out.Licenses, l.Written)
	}
	for _, l := range v.Links {
		if l.Label == catalog.LabelHome {
			out.Home = l.URL
		}
	}
	if v.Requires == nil || v.Requires.NPM == nil {
		return out
	}
	for _, need := range v.Requires.NPM.Dependencies.Dependencies {
		if out.Requires == nil {
			out.Requires = map[string]string{}
		}
		out.Requires[need.Name] = need.Requirement
	}
	return out
}
