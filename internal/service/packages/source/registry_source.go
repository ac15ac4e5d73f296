package source

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Source reads the registries of one ecosystem.
type Source interface {
	// System is the ecosystem.
	System() catalog.System
	// Package reads the version list of a package, given by canonical name.
	// With the validators of an earlier listing it may answer
	// registry.ErrNotModified. A package the registry does not have is
	// registry.ErrNotFound.
	Package(ctx context.Context, name string, since Validators) (*Listing, error)
	// Version completes one version that a listing named.
	Version(ctx context.Context, listed catalog.Version) (*catalog.Version, error)
}

// Requirer is a Source that reads the requirements of a version without the
// rest, of a version that no list names too.
type Requirer interface {
	Requires(ctx context.Context, k catalog.VersionKey) (*catalog.Requirements, error)
}

// Validators let a registry say that nothing changed.
type Validators struct {
	ETag, LastModified string
}

// Listing is a package as a registry lists it.
type Listing struct {
	Package    catalog.Package
	Validators Validators
}

// Fetcher is the part of registry.Client that adapters use.
type Fetcher interface {
	Get(ctx context.Context, r registry.Request) (*registry.Response, error)
}

// GarbageError means that a registry answered something its protocol does not
// allow. It is the registry's fault, not the caller's.
type GarbageError struct {
	System catalog.System
	What   string
	cause  error
}

func (e *GarbageError) Error() string {
	return fmt.Sprintf("the %s registry sent an unreadable %s: %v", e.System, e.What, e.cause)
}

func (e *GarbageError) Unwrap() error { return e.cause }

// New makes the adapter of a system that reads from the addresses, the first
// of which is asked first.
func New(system catalog.System, get Fetcher, at []registry.Address, verify Verifier) Source {
	base := origin{system: system, get: get, at: at, verify: verify}
	switch system {
	case catalog.Go:
		return &goSource{base}
	case catalog.NPM:
		return &npmSource{base}
	case catalog.Cargo:
		return &cargoSource{base}
	case catalog.Maven:
		return &mavenSource{base}
	case catalog.PyPI:
		return &pypiSource{base}
	case catalog.NuGet:
		return &nugetSource{base}
	case catalog.RubyGems:
		return &gemSource{base}
	}
	return nil
}

// Verifier checks the signature bundle of an attestation over an artifact's
// digest. It returns false for what it cannot check.
type Verifier interface {
	Verify(ctx context.Context, bundle []byte, digest catalog.Hash) bool
}

// origin is what all adapters are made of.
type origin struct {
	system catalog.System
	get    Fetcher
	at     []registry.Address
	verify Verifier
}

func (o origin) System() catalog.System { return o.system }

// first asks one address after the other until one has the document. A
// registry that does not answer is passed over when a later one has it; when
// none has, its failure is reported rather than "not found", because no registry
// knows what it would have said.
func (o origin) first(
	ctx context.Context, path string, r registry.Request,
) (*registry.Response, registry.Address, error) {
	failed := error(registry.ErrNotFound)
	for _, a := range o.at {
		r.URL = a.Join(path)
		res, err := o.get.Get(ctx, r)
		if err == nil {
			return res, a, nil
		}
		if errors.Is(err, registry.ErrNotModified) {
			return nil, a, err
		}
		if !errors.Is(err, registry.ErrNotFound) {
			failed = err
		}
	}
	return nil, registry.Address{}, failed
}

// fetch reads a document at a full URL.
func (o origin) fetch(ctx context.Context, link string, most int64) (*registry.Response, error) {
	return o.get.Get(ctx, registry.Request{URL: link, MaxBody: most})
}

// optional reads a document that a registry need not have.
func (o origin) optional(ctx context.Context, link string, most int64) (*registry.Response, bool, error) {
	res, err := o.fetch(ctx, link, most)
	if absent(err) {
		return nil, false, nil
	}
	return res, err == nil, err
}

// absent reports whether a registry does not give a document: it has none, refuses it, or it is too large. One that is
// busy may give it another time, and what it says now must not be kept.
func absent(err error) bool {
	var status *registry.StatusError
	return errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrTooLarge) ||
		errors.As(err, &status) && !registry.Temporary(err)
}

func (o origin) garbage(what string, cause error) error {
	return &GarbageError{System: o.system, What: what, cause: cause}
}
