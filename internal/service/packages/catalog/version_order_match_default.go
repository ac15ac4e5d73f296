package catalog

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"deps.dev/util/semver"
)

// IsPrerelease reports whether the version is one that package managers do not
// choose by themselves.
func IsPrerelease(s System, version string) bool {
	v := parse(s, version)
	if v == nil {
		return true
	}
	if s == Maven {
		return mavenPre.MatchString(version)
	}
	return v.IsPrerelease()
}

// mavenPre finds the qualifiers that sort before a release. The library calls
// no Maven version a pre-release, because Maven itself never filters them.
var mavenPre = regexp.MustCompile(`(?i)(^|[.\-_\d])(alpha|beta|milestone|rc|cr|snapshot|pre|preview|ea|dev|a|b|m)([.\-_\d]|$)`)

var mavenDate = regexp.MustCompile(`^(19|20)\d{6}(\D|$)`)

// IsPseudo reports whether a Go version is made up from a commit.
func IsPseudo(version string) bool { return goPseudo.MatchString(version) }

var goPseudo = regexp.MustCompile(`^v[0-9]+\.(0\.0-|\d+\.\d+-([^+]*\.)?0\.)\d{14}-[A-Za-z0-9]+(\+[0-9A-Za-z.-]+)?$`)

// Matches reports whether the version lies in the constraint, which is written
// in the system's own words. A constraint that cannot be read matches nothing.
func Matches(s System, constraint, version string) bool {
	set, err := Constraint(s, constraint)
	return err == nil && set.Match(version)
}

// Constraint reads a requirement in the system's own words.
func Constraint(s System, text string) (*semver.Constraint, error) {
	if len(text) > maxConstraint {
		return nil, errTooLong
	}
	return guarded(func() (*semver.Constraint, error) { return s.rules().ParseConstraint(text) })
}

// maxConstraint bounds a requirement before it is parsed.
const maxConstraint = 2000

var errTooLong = errors.New("the requirement is too long")

// Sort orders the versions, oldest first.
func Sort(s System, versions []Version) {
	order := make([]Ordered, len(versions))
	for i := range versions {
		order[i] = NewOrdered(s, versions[i].Key.Version)
		order[i].at = i
	}
	slices.SortFunc(order, compareOrdered)
	sorted := make([]Version, len(versions))
	for i, o := range order {
		sorted[i] = versions[o.at]
	}
	copy(versions, sorted)
}

// Normalize sorts the package's versions, drops doubles that canonical
// spelling made equal and marks the default version.
func (p *Package) Normalize() {
	Sort(p.Key.System, p.Versions)
	p.Versions = slices.CompactFunc(p.Versions, func(a, b Version) bool {
		return a.Key.Version == b.Key.Version
	})
	def := DefaultVersion(p)
	for i := range p.Versions {
		p.Versions[i].Default = p.Versions[i].Key.Version == def
	}
}

// DefaultVersion is the version a package manager installs when none is
// named: what the registry tags as latest where it does (npm), else the
// greatest version that is neither withdrawn nor a pre-release, else the
// greatest that is not withdrawn. Publish times never decide. A package of
// which everything is withdrawn has no default. The versions must be sorted.
func DefaultVersion(p *Package) string {
	if p.Tag != "" {
		tag := CanonicalVersion(p.Key.System, p.Tag)
		for i := range p.Versions {
			if p.Versions[i].Key.Version == tag {
				return tag
			}
		}
	}
	best, bestRank := "", -1
	for i := len(p.Versions) - 1; i >= 0; i-- {
		rank := defaultRank(p.Key.System, &p.Versions[i])
		if rank > bestRank {
			best, bestRank = p.Versions[i].Key.Version, rank
		}
	}
	return best
}

// defaultRank is how willingly a package manager picks the version; -1 never.
func defaultRank(s System, v *Version) int {
	name := v.Key.Version
	switch {
	case v.Deprecated && s != NPM && s != Go:
		// Yanked or unlisted. npm's deprecation and Go's retraction only warn.
		return -1
	case v.Deprecated && s == Go:
		return 0
	case s == Go && IsPseudo(name):
		return 1
	case s == Go && strings.HasSuffix(name, "+incompatible"):
		// The go command prefers a version with a go.mod file.
		return 3 - btoi(IsPrerelease(s, name))
	case IsPrerelease(s, name):
		return 2
	case s == NPM && strings.Contains(name, "+"):
		return 2
	case s == Maven && mavenDate.MatchString(name):
		// Early projects were numbered by the day; their later, ordinary
		// numbers look smaller and are not.
		return 3
	}
	return 4
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Ordered is a version parsed once for many comparisons.
type Ordered struct {
	text   string
	parsed *semver.Version
	at     int
}

// NewOrdered parses a version.
func NewOrdered(s System, text string) Ordered {
	return Ordered{text: text, parsed: parse(s, text)}
}

// Compare orders two versions by the rule alone: spellings of one version,
// such as 1.0 and 1.0.0, are equal.
func (o Ordered) Compare(p Ordered) int {
	switch {
	case o.parsed == nil && p.parsed == nil:
		return cmp.Compare(o.text, p.text)
	case o.parsed == nil:
		return -1
	case p.parsed == nil:
		return 1
	}
	return o.parsed.Compare(p.parsed)
}

func parse(s System, text string) *semver.Version {
	if len(text) > MaxVersion {
		return nil
	}
	v, err := guarded(func() (*semver.Version, error) { return s.rules().Parse(text) })
	if err != nil {
		return nil
	}
	return v
}

// compareOrdered orders two versions by the system's own rule. Versions that the
// rule cannot parse come before all that it can, in byte order; versions that
// the rule holds for equal are ordered by their spelling. The order is total,
// so that sorted lists are the same on every machine.
func compareOrdered(a, b Ordered) int {
	return cmp.Or(a.Compare(b), cmp.Compare(a.text, b.text))
}
