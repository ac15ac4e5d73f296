package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/batchbody"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

func (s *Service) handleGetProject(w http.ResponseWriter, r *route.Request) error {
	p, err := s.GetProject(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeShape(w, r, toProjectJSON(p))
}

func (s *Service) handleGetProjectBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.ProjectBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	ids, err := in.IDs()
	if err != nil {
		return errInvalid("%v", err)
	}

	b, err := s.GetProjectBatch(s.asked(r), ids, in.Token())
	if err != nil {
		return err
	}

	return writeShape(w, r, toProjectBatchJSON(ids, b))
}

func (s *Service) handleGetProjectPackageVersions(w http.ResponseWriter, r *route.Request) error {
	list, err := s.GetProjectPackageVersions(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	out, err := toProjectVersionsJSON(list)
	if err != nil {
		return err
	}
	return writeShape(w, r, out)
}

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

type (
	projectBatchJSON struct {
		Responses     []projectResponseJSON `json:"responses"`
		NextPageToken string                `json:"nextPageToken"`
	}
	projectResponseJSON struct {
		Request struct {
			ProjectKey document.ID `json:"projectKey"`
		} `json:"request"`
		Project *projectJSON `json:"project,omitempty"`
	}
)

func toProjectBatchJSON(ids []string, b projectBatch) projectBatchJSON {
	out := projectBatchJSON{Responses: make([]projectResponseJSON, len(b.answers)), NextPageToken: b.next}
	for i, p := range b.answers {
		one := &out.Responses[i]
		one.Request.ProjectKey.ID = ids[b.from+i]
		if p != nil {
			shape := toProjectJSON(*p)
			one.Project = &shape
		}
	}
	return out
}

func (s *Service) handleGetAdvisory(w http.ResponseWriter, r *route.Request) error {
	doc, err := s.GetAdvisory(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return write(w, r, doc)
}

type advisoryJSON struct {
	AdvisoryKey document.ID `json:"advisoryKey"`
	URL         string      `json:"url"`
	Title       string      `json:"title"`
	Aliases     []string    `json:"aliases"`
	CVSS3Score  *float64    `json:"cvss3Score,omitempty"`
	CVSS3Vector string      `json:"cvss3Vector"`
}

func toAdvisoryJSON(a *advisory.Advisory) advisoryJSON {
	out := advisoryJSON{
		AdvisoryKey: document.ID{ID: a.ID}, URL: a.URL, Title: a.Title,
		Aliases: document.Convert(a.Aliases, func(s string) string { return s }), CVSS3Vector: a.CVSS3,
	}
	if score, ok := advisory.Score(a.CVSS3); ok {
		out.CVSS3Score = &score
	}
	return out
}
