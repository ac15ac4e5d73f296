package catalog

import (
	"fmt"
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
			return fmt.Errorf("%s is related to %q, which is not a project", v.Key, r.Project)
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

// Upstream is the identifier as the source spells it, before normalisation.
type Upstream struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source"`
}
