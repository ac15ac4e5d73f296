package npm

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// satisfies reports whether a version lies in a range. Anything installed
// satisfies *, pre-releases too.
func (x *index) satisfies(version, spec string) bool {
	if spec == "" || spec == "*" || spec == "latest" {
		return true
	}
	key := [2]string{spec, version}
	if fits, ok := x.fits[key]; ok {
		return fits
	}
	x.fits[key] = catalog.Matches(catalog.NPM, spec, version)
	return x.fits[key]
}

// pick chooses a version: the one tagged latest if the range has it, else the
// greatest that is not deprecated, else the greatest.
func (x *index) pick(pkg, spec string) (string, error) {
	key := [2]string{pkg, spec}
	if version, ok := x.picks[key]; ok {
		return version, nil
	}
	list, err := x.lookup.Versions(catalog.PackageKey{System: catalog.NPM, Name: pkg})
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		return "", err
	}
	if err != nil {
		x.askAhead(pkg, spec)
	}
	if err := x.lookup.SpendSteps(len(list) + 1); err != nil {
		return "", err
	}
	x.picks[key] = choose(list, spec)
	return x.picks[key], nil
}

// askAhead asks for a package and, when its versions are known, for what the one
// that is going to be chosen needs, and so on: the tree would come to each level of
// it only after all of the level above. It is a guess, where the tree has already a
// version that will do, and nothing is made of it but questions.
func (x *index) askAhead(pkg, spec string) {
	key := [2]string{pkg, spec}
	if x.ahead[key] || elsewhere(spec) {
		return
	}
	x.ahead[key] = true
	k := catalog.PackageKey{System: catalog.NPM, Name: pkg}
	x.lookup.Ahead(k, func(list []graph.Listed) {
		version := choose(list, spec)
		if version == "" || x.lookup.SpendSteps(len(list)+1) != nil {
			return
		}
		x.lookup.AheadOf(k.At(version), func(needs *catalog.Requirements) {
			if needs.NPM == nil || len(needs.NPM.Dependencies.BundleDependencies) > 0 {
				return
			}
			for _, n := range needsOf(&needs.NPM.Dependencies, needs.Install) {
				x.askAhead(n.pkg, n.spec)
			}
		})
	})
}

// elsewhere reports whether a package is to come from an address.
func elsewhere(spec string) bool {
	return strings.ContainsAny(spec, ":/") && !strings.HasPrefix(spec, "npm:")
}

func choose(list []graph.Listed, spec string) string {
	set, err := catalog.Constraint(catalog.NPM, cmp.Or(spec, "*"))
	best, deprecated := "", ""
	for _, v := range slices.Backward(list) {
		version := v.Key.Version
		matches := err == nil && set.Match(version)
		if v.Default && (matches || spec == "" || spec == "*" || spec == "latest") {
			return version
		}
		switch {
		case !matches:
		case best == "" && !v.Withdrawn:
			best = version
		case deprecated == "":
			deprecated = version
		}
	}
	return cmp.Or(best, deprecated)
}
