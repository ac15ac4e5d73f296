package packages

import (
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// The shapes of projects. What is not known has no member: a zero would be
// believed. So a project has no counts of stars, forks and issues, which no registry
// tells.
type (
	projectJSON struct {
		ProjectKey  document.ID `json:"projectKey"`
		License     string      `json:"license"`
		Description string      `json:"description"`
		Homepage    string      `json:"homepage"`
	}
	projectVersionsJSON struct {
		Versions []projectVersionJSON `json:"versions"`
	}
	projectVersionJSON struct {
		VersionKey         catalog.VersionKey     `json:"versionKey"`
		SlsaProvenances    []document.Provenance  `json:"slsaProvenances"`
		Attestations       []document.Attestation `json:"attestations"`
		RelationType       catalog.RelationType   `json:"relationType"`
		RelationProvenance catalog.Provenance     `json:"relationProvenance"`
	}
)

func toProjectJSON(p project) projectJSON {
	return projectJSON{ProjectKey: document.ID{ID: p.id}, License: p.license, Homepage: p.homepage}
}

func toProjectVersionsJSON(list []projectRow) (projectVersionsJSON, error) {
	out := projectVersionsJSON{Versions: make([]projectVersionJSON, 0, len(list))}
	for _, row := range list {
		v, err := document.Decode(row.doc)
		if err != nil {
			return out, err
		}
		slsa, attested := document.Attestations(v)
		out.Versions = append(out.Versions, projectVersionJSON{v.Key, slsa, attested, row.relation, row.provenance})
	}
	return out, nil
}
