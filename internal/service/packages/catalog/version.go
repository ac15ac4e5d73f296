package catalog

import (
	"fmt"
	"strings"
	"time"
)

// Package is a package with all its known versions, oldest first by the
// system's version order.
type Package struct {
	Key      PackageKey `json:"key"`
	Versions []Version  `json:"versions"`
	// Tag is the version the registry itself calls the latest, where the
	// ecosystem has such a word (npm's dist-tag).
	Tag string `json:"tag,omitempty"`
}

// Version is everything known about one version.
type Version struct {
	Key        VersionKey    `json:"key"`
	Published  time.Time     `json:"published,omitzero"`
	Default    bool          `json:"default,omitempty"`
	Deprecated bool          `json:"deprecated,omitempty"`
	Licenses   []License     `json:"licenses,omitempty"`
	Advisories []string      `json:"advisories,omitempty"`
	Links      []Link        `json:"links,omitempty"`
	Attested   []Attestation `json:"attestations,omitempty"`
	Registries []string      `json:"registries,omitempty"`
	Related    []Relation    `json:"related,omitempty"`
	Upstream   []Upstream    `json:"upstream,omitempty"`
	Artifacts  []Artifact    `json:"artifacts,omitempty"`
	Requires   *Requirements `json:"requires,omitempty"`
	// Complete is false while only the registry's version list was read.
	Complete bool `json:"complete,omitempty"`
}

// Check refuses a version that breaks the contract's own rules, as one from a
// dump may: digests of a wrong length, words that the enumerations do not have,
// requirements of another system.
func (v *Version) Check() error {
	if err := v.Key.Check(); err != nil {
		return err
	}
	for _, a := range v.Artifacts {
		for _, h := range a.Hashes {
			if len(h.Digest) != h.Type.Size() || h.Type.Size() == 0 {
				return fmt.Errorf("%s has a hash of a wrong length", v.Key)
			}
		}
	}
	for _, r := range v.Related {
		if id, ok := ProjectID(r.Project); !ok || id != r.Project {
			return fmt.Errorf("%s is related to %q, which is no project", v.Key, r.Project)
		}
		if !r.known() {
			return fmt.Errorf("%s has a relation of an unknown kind", v.Key)
		}
	}
	if v.Requires != nil && !v.Requires.only(v.Key.System) {
		return fmt.Errorf("%s has requirements of another system", v.Key)
	}
	return nil
}

// License is one license as its author wrote it and as SPDX says it.
type License struct {
	Written string `json:"written"`
	SPDX    string `json:"spdx"`
}

// The labels of links.
const (
	LabelSource  = "SOURCE_REPO"
	LabelIssues  = "ISSUE_TRACKER"
	LabelHome    = "HOMEPAGE"
	LabelDocs    = "DOCUMENTATION"
	LabelOrigin  = "ORIGIN"
	LabelAttests = "ATTESTATION"
)

// Link is a declared or derived external link. It is not checked.
type Link struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// The attestation types whose contents are understood. The third, the package
// index's publish attestation, is a URL below the index's own documentation;
// its host is that of the index, so only its path is known here.
const (
	ProvenanceV02 = "https://slsa.dev/provenance/v0.2"
	ProvenanceV1  = "https://slsa.dev/provenance/v1"
	publishPath   = "/attestations/publish/v1"
)

// Understood reports whether the attestation type is one of the three.
func Understood(predicate string) bool {
	return predicate == ProvenanceV02 || predicate == ProvenanceV1 || IsPublish(predicate)
}

// IsPublish reports whether the type is a package index's publish attestation.
func IsPublish(predicate string) bool { return strings.HasSuffix(predicate, publishPath) }

// Attestation is a signed statement about a version. Repository and Commit
// are known for the three understood types only; Verified means that the
// signature bundle was checked cryptographically.
type Attestation struct {
	Type       string `json:"type"`
	URL        string `json:"url"`
	Repository string `json:"repository,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Verified   bool   `json:"verified,omitempty"`
}

// Provenance says why a version is believed to belong to a project.
type Provenance string

// The provenances, best first.
const (
	FromSLSA     Provenance = "SLSA_ATTESTATION"
	FromGoOrigin Provenance = "GO_ORIGIN"
	FromPublish  Provenance = "PYPI_PUBLISH_ATTESTATION"
	FromMetadata Provenance = "UNVERIFIED_METADATA"
)

// RelationType says what a project is to a version.
type RelationType string

// The relation types.
const (
	SourceRepo   RelationType = "SOURCE_REPO"
	IssueTracker RelationType = "ISSUE_TRACKER"
)

// Relation joins a version to a project, named host/user/repo.
type Relation struct {
	Project    string       `json:"project"`
	Provenance Provenance   `json:"provenance"`
	Type       RelationType `json:"type"`
}

// known reports whether the relation is made of the contract's words.
func (r Relation) known() bool {
	switch r.Provenance {
	case FromSLSA, FromGoOrigin, FromPublish, FromMetadata:
		return r.Type == SourceRepo || r.Type == IssueTracker
	}
	return false
}

// Upstream is the identifier as the source spells it, before normalisation.
type Upstream struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source"`
}

// Artifact is one file of a release and its digests.
type Artifact struct {
	URL    string `json:"url"`
	Hashes []Hash `json:"hashes,omitempty"`
}

// Hash is the raw digest of a file.
type Hash struct {
	Type   HashType `json:"type"`
	Digest []byte   `json:"digest"`
}

// HashType is a digest algorithm, spelled as the contract's enumeration.
type HashType string

// The four hash types of the contract.
const (
	MD5    HashType = "MD5"
	SHA1   HashType = "SHA1"
	SHA256 HashType = "SHA256"
	SHA512 HashType = "SHA512"
)

// HashTypes lists all algorithms.
func HashTypes() []HashType { return []HashType{MD5, SHA1, SHA256, SHA512} }

// Size is the length of a digest in bytes, zero for an unknown type.
func (t HashType) Size() int {
	switch t {
	case MD5:
		return 16
	case SHA1:
		return 20
	case SHA256:
		return 32
	case SHA512:
		return 64
	}
	return 0
}

// Number is the stored form of the type.
func (t HashType) Number() int64 {
	switch t {
	case MD5:
		return 1
	case SHA1:
		return 2
	case SHA256:
		return 3
	case SHA512:
		return 4
	}
	return 0
}
