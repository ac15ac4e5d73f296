package npm

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// need is one dependency: name is the folder's, pkg the package's.
type need struct {
	name, pkg, spec string
	written         string
	peer, optional  bool
}

// manifest is what a version needs.
type manifest struct {
	needs   []need
	maybe   []need
	bundled []catalog.NPMBundle
	unknown bool
	// elsewhere means that it is for other platforms.
	elsewhere bool
}

// index reads manifests and version lists, each once in a pass.
type index struct {
	lookup    *graph.Lookup
	manifests map[catalog.VersionKey]*manifest
	picks     map[[2]string]string
	fits      map[[2]string]bool
	// ahead is what was asked for before the tree needs it.
	ahead map[[2]string]bool
}

func (x *index) manifest(k catalog.VersionKey) (*manifest, error) {
	if m := x.manifests[k]; m != nil {
		return m, nil
	}
	m := &manifest{}
	needs, err := x.lookup.Requirements(k)
	switch {
	case errors.Is(err, graph.ErrNotFound) || err == nil && needs.NPM == nil:
		m.unknown = true
	case err != nil:
		return nil, err
	default:
		m.needs = needsOf(&needs.NPM.Dependencies, needs.Install)
		m.bundled = needs.NPM.Bundled
		for _, r := range needs.NPM.Dependencies.PeerDependencies {
			if needs.Install != nil && slices.Contains(needs.Install.OptionalPeers, r.Name) {
				m.maybe = append(m.maybe, need{name: r.Name, spec: strings.TrimSpace(r.Requirement)})
			}
		}
		if i := needs.Install; i != nil {
			m.elsewhere = !admits(i.OS, "linux") || !admits(i.CPU, "x64") || !admits(i.LibC, "glibc")
		}
		if err := x.lookup.SpendSteps(len(m.needs) + len(m.bundled) + 1); err != nil {
			return nil, err
		}
	}
	x.manifests[k] = m
	return m, nil
}

// needsOf lists what a manifest needs, sorted by name. Ordinary dependencies go
// before peers of the same name and optional ones before both.
func needsOf(d *catalog.NPMDependencies, i *catalog.Install) []need {
	byName := map[string]need{}
	for _, r := range d.PeerDependencies {
		if i == nil || !slices.Contains(i.OptionalPeers, r.Name) {
			byName[r.Name] = need{name: r.Name, written: r.Requirement, peer: true}
		}
	}
	for _, r := range d.Dependencies {
		byName[r.Name] = need{name: r.Name, written: r.Requirement}
	}
	for _, r := range d.OptionalDependencies {
		byName[r.Name] = need{name: r.Name, written: r.Requirement, optional: true}
	}
	list := make([]need, 0, len(byName))
	for _, n := range byName {
		n.pkg, n.spec = n.name, strings.TrimSpace(n.written)
		if real, ok := strings.CutPrefix(n.spec, "npm:"); ok {
			n.pkg, n.spec = real, ""
			if at := strings.LastIndexByte(real, '@'); at > 0 {
				n.pkg, n.spec = real[:at], real[at+1:]
			}
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b need) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), strings.Compare(a.name, b.name))
	})
	return list
}

// admits reports whether a list of platforms names one or does not exclude it.
func admits(list []string, platform string) bool {
	only := false
	for _, p := range list {
		if p == platform || p == "any" {
			return true
		}
		if p == "!"+platform {
			return false
		}
		only = only || !strings.HasPrefix(p, "!")
	}
	return !only
}
