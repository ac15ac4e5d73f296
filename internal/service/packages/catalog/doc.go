// Package catalog holds the nouns of package insights: systems, keys,
// packages, versions, requirements, projects and advisories, and the rules
// that belong to the nouns themselves: canonical names, version order, the
// choice of the default version, package URLs and license expressions.
//
// It owns no storage, no network and no wire format of the API. Its JSON form
// is the portable dump that closed networks import and export; the answers of
// the API are made in the service's _wire.go files.
//
// The rules come from maintained libraries, wrapped where they need it:
// version order and version normalisation from deps.dev/util/semver, package
// URLs from packageurl-go, SPDX from go-spdx. The wrappers exist because
// purl's own rules fold the letter case of Go module paths, because a version
// that no rule can parse must still have one place in the order, and because
// registries write licenses in words that SPDX never heard of.
package catalog
