package catalog

import "strings"

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
