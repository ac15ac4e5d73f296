package catalog

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Above the longest name and version that any of the seven registries accepts.
const (
	MaxName    = 512
	MaxVersion = 256
)

// PackageKey names a package in its system.
type PackageKey struct {
	System System `json:"system"`
	Name   string `json:"name"`
}

// VersionKey names one version of a package.
type VersionKey struct {
	System  System `json:"system"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Package is the key of the version's package.
func (k VersionKey) Package() PackageKey { return PackageKey{k.System, k.Name} }

// At is the key of a version of the package.
func (k PackageKey) At(version string) VersionKey {
	return VersionKey{k.System, k.Name, version}
}

func (k PackageKey) String() string { return string(k.System) + " " + k.Name }

func (k VersionKey) String() string {
	return string(k.System) + " " + k.Name + " " + k.Version
}

// Canonical is the key in canonical form: the one spelling under which the
// package is stored and returned.
func (k PackageKey) Canonical() PackageKey {
	return PackageKey{k.System, CanonicalName(k.System, k.Name)}
}

// Canonical is the key with canonical name and version.
func (k VersionKey) Canonical() VersionKey {
	return VersionKey{k.System, CanonicalName(k.System, k.Name), CanonicalVersion(k.System, k.Version)}
}

// Why a key cannot name anything.
var (
	ErrEmptyName = errors.New("the package name is empty")
	ErrBadText   = errors.New("not printable UTF-8 text")
	ErrBadPath   = errors.New("a part of it is a way through folders, not a name")
)

// Check refuses names that no registry could hold, before they reach a
// database, a file name or another server's URL.
func (k PackageKey) Check() error {
	if k.System.Number() == 0 {
		return fmt.Errorf("unknown system %q", string(k.System))
	}
	if k.Name == "" {
		return ErrEmptyName
	}
	if err := checkText(k.Name, MaxName); err != nil {
		return fmt.Errorf("package name: %w", err)
	}
	for part := range strings.SplitSeq(k.Name, "/") {
		if part == "." || part == ".." {
			return fmt.Errorf("package name: %w", ErrBadPath)
		}
	}
	if k.System == Maven && strings.Count(k.Name, ":") != 1 {
		return fmt.Errorf("the Maven name %q is not of the form group:artifact", k.Name)
	}
	return nil
}

// Check refuses keys that no registry could hold.
func (k VersionKey) Check() error {
	if err := k.Package().Check(); err != nil {
		return err
	}
	if k.Version == "" {
		return errors.New("the version is empty")
	}
	if err := checkText(k.Version, MaxVersion); err != nil {
		return fmt.Errorf("version: %w", err)
	}
	return nil
}

func checkText(s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("longer than %d bytes", most)
	}
	if !utf8.ValidString(s) {
		return ErrBadText
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return ErrBadText
		}
	}
	return nil
}

// CanonicalName is the ecosystem's own spelling rule for names: PEP 503 for
// PyPI, lower case for NuGet, the name itself elsewhere.
func CanonicalName(s System, name string) string {
	switch s {
	case PyPI:
		return pep503(name)
	case NuGet:
		return strings.ToLower(name)
	case Go, RubyGems, NPM, Cargo, Maven:
	}
	return name
}

// pep503 folds letter case and every run of "-", "_" and "." into one "-".
func pep503(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	run := false
	for _, r := range strings.ToLower(name) {
		if r == '-' || r == '_' || r == '.' {
			run = true
			continue
		}
		if run {
			b.WriteByte('-')
		}
		run = false
		b.WriteRune(r)
	}
	if run {
		b.WriteByte('-')
	}
	return b.String()
}

// CanonicalVersion is the spelling under which a version is stored and
// returned. PyPI and NuGet have normal forms of their own; the other systems
// keep what was published. A version that no rule can parse stays as it is,
// because registries do hold such versions.
func CanonicalVersion(s System, version string) string {
	switch s {
	case PyPI, NuGet:
		v := parse(s, version)
		if v == nil {
			return version
		}
		return v.Canon(s == PyPI)
	case NPM, Cargo:
		// Clients write "v1.2.3" and "=1.2.3" where the registry has 1.2.3.
		trimmed := strings.TrimLeft(version, "v=")
		if parse(s, trimmed) != nil {
			return trimmed
		}
	case Go, RubyGems, Maven:
	}
	return version
}
