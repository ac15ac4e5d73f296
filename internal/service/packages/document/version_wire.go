package document

import (
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// The shapes of a version. Scalars and lists are always printed, unset times
// and messages are left out.
type (
	// versionJSON is what both API versions print of a version.
	versionJSON struct {
		VersionKey      catalog.VersionKey   `json:"versionKey"`
		PublishedAt     string               `json:"publishedAt,omitempty"`
		IsDefault       bool                 `json:"isDefault"`
		Licenses        []string             `json:"licenses"`
		AdvisoryKeys    []ID                 `json:"advisoryKeys"`
		Links           []catalog.Link       `json:"links"`
		SlsaProvenances []Provenance         `json:"slsaProvenances"`
		Attestations    []Attestation        `json:"attestations"`
		Registries      []string             `json:"registries"`
		RelatedProjects []relatedProjectJSON `json:"relatedProjects"`
	}
	// versionAlphaJSON is what only the earlier-stage API version adds.
	versionAlphaJSON struct {
		Purl                string              `json:"purl"`
		IsDeprecated        bool                `json:"isDeprecated"`
		LicenseDetails      []licenseDetailJSON `json:"licenseDetails"`
		UpstreamIdentifiers []upstreamJSON      `json:"upstreamIdentifiers"`
	}

	// ID names a project or an advisory.
	ID struct {
		ID string `json:"id"`
	}
	// Provenance is the older shape of a provenance attestation.
	Provenance struct {
		SourceRepository string `json:"sourceRepository"`
		Commit           string `json:"commit"`
		URL              string `json:"url"`
		Verified         bool   `json:"verified"`
	}
	// Attestation is a statement about how a version was made.
	Attestation struct {
		Type             string `json:"type"`
		URL              string `json:"url"`
		Verified         bool   `json:"verified"`
		SourceRepository string `json:"sourceRepository"`
		Commit           string `json:"commit"`
	}
	relatedProjectJSON struct {
		ProjectKey         ID                   `json:"projectKey"`
		RelationProvenance catalog.Provenance   `json:"relationProvenance"`
		RelationType       catalog.RelationType `json:"relationType"`
	}
	licenseDetailJSON struct {
		License string `json:"license"`
		Spdx    string `json:"spdx"`
	}
	upstreamJSON struct {
		PackageName   string `json:"packageName"`
		VersionString string `json:"versionString"`
		Source        string `json:"source"`
	}
)

// Attestations prints all attestations and, for npm alone, the provenance
// ones again in their older shape.
func Attestations(v *catalog.Version) ([]Provenance, []Attestation) {
	slsa, all := []Provenance{}, make([]Attestation, 0, len(v.Attested))
	for _, a := range v.Attested {
		if !catalog.Understood(a.Type) {
			a.Repository, a.Commit = "", ""
		}
		all = append(all, Attestation{a.Type, a.URL, a.Verified, a.Repository, a.Commit})
		if v.Key.System == catalog.NPM && (a.Type == catalog.ProvenanceV02 || a.Type == catalog.ProvenanceV1) {
			slsa = append(slsa, Provenance{a.Repository, a.Commit, a.URL, a.Verified})
		}
	}
	return slsa, all
}

// fromWire is the version that its two halves describe.
func fromWire(common *versionJSON, more *versionAlphaJSON) *catalog.Version {
	v := &catalog.Version{
		Key: common.VersionKey, Default: common.IsDefault, Deprecated: more.IsDeprecated,
		Links: common.Links, Registries: common.Registries,
	}
	if t, err := time.Parse(time.RFC3339Nano, common.PublishedAt); err == nil {
		v.Published = t
	}
	for _, a := range common.AdvisoryKeys {
		v.Advisories = append(v.Advisories, a.ID)
	}
	for _, a := range common.Attestations {
		v.Attested = append(v.Attested, catalog.Attestation{
			Type: a.Type, URL: a.URL, Repository: a.SourceRepository, Commit: a.Commit, Verified: a.Verified,
		})
	}
	for _, r := range common.RelatedProjects {
		v.Related = append(v.Related, catalog.Relation{
			Project: r.ProjectKey.ID, Provenance: r.RelationProvenance, Type: r.RelationType,
		})
	}
	for _, l := range more.LicenseDetails {
		v.Licenses = append(v.Licenses, catalog.License{Written: l.License, SPDX: l.Spdx})
	}
	for _, u := range more.UpstreamIdentifiers {
		v.Upstream = append(v.Upstream, catalog.Upstream{
			Name: u.PackageName, Version: u.VersionString, Source: u.Source,
		})
	}
	return v
}
