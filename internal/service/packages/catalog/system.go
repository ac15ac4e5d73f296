package catalog

import (
	"strings"

	"deps.dev/util/semver"
)

// System is a packaging ecosystem, spelled as the contract's enumeration.
type System string

// The seven systems of the contract.
const (
	Go       System = "GO"
	RubyGems System = "RUBYGEMS"
	NPM      System = "NPM"
	Cargo    System = "CARGO"
	Maven    System = "MAVEN"
	PyPI     System = "PYPI"
	NuGet    System = "NUGET"
)

// Systems lists every system in the order of the contract.
func Systems() []System {
	return []System{Go, RubyGems, NPM, Cargo, Maven, PyPI, NuGet}
}

// ParseSystem reads a system in any letter case.
func ParseSystem(s string) (System, bool) {
	for _, sys := range Systems() {
		if strings.EqualFold(s, string(sys)) {
			return sys, true
		}
	}
	return "", false
}

// Number is the system's stable small number, used as its stored form. The
// numbers are those of the public enumeration; 5 is not in use.
func (s System) Number() int64 {
	switch s {
	case Go:
		return 1
	case RubyGems:
		return 2
	case NPM:
		return 3
	case Cargo:
		return 4
	case Maven:
		return 6
	case PyPI:
		return 7
	case NuGet:
		return 8
	}
	return 0
}

// SystemOf is the inverse of Number; an unknown number gives the empty system.
func SystemOf(n int64) System {
	for _, sys := range Systems() {
		if sys.Number() == n {
			return sys
		}
	}
	return ""
}

// HasRequirements reports whether the contract offers GetRequirements.
func (s System) HasRequirements() bool {
	return s == Maven || s == NPM || s == NuGet || s == RubyGems
}

// HasDependencies reports whether dependency graphs are offered.
func (s System) HasDependencies() bool {
	return s == NPM || s == Cargo || s == Maven || s == PyPI || s == Go
}

// HasHashes reports whether artifacts can be found by their digest. The module
// proxy names modules by a tree hash of its own, which is none of the four.
func (s System) HasHashes() bool { return s != Go }

// rules is the library's name for the system's version rules.
func (s System) rules() semver.System {
	switch s {
	case Go:
		return semver.Go
	case RubyGems:
		return semver.RubyGems
	case NPM:
		return semver.NPM
	case Cargo:
		return semver.Cargo
	case Maven:
		return semver.Maven
	case PyPI:
		return semver.PyPI
	case NuGet:
		return semver.NuGet
	}
	return semver.DefaultSystem
}
