package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/document"
)

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
