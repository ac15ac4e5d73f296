package web

import (
	"encoding/xml"
	"net/http"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// handleFeed is the CCTray feed of everything a user follows.
func (p *Pages) handleFeed(w http.ResponseWriter, r *route.Request) error {
	caller, err := p.badgeCaller(r)
	if err != nil {
		return err
	}
	if err := project.Personal(caller); err != nil {
		return err
	}
	repos, err := p.Projects.Following(r.Context(), caller)
	if err != nil {
		return err
	}
	return p.writeFeed(w, r, repos)
}

func (p *Pages) writeFeed(w http.ResponseWriter, r *route.Request, repos []forge.Repository) error {
	out, base := []byte(xml.Header+"<Projects>"), p.world.URL(r.Context())
	for _, repo := range repos {
		b, err := p.latest(r.Context(), repo.ID, repo.DefaultBranch, "", build.FilterNone)
		if err != nil {
			return err
		}
		line, err := xml.Marshal(newCCProject(repo.FullName(), base+p.Names.PagePath(repo, vcs.A), b))
		if err != nil {
			return err
		}
		out = append(out, line...)
	}
	out = append(out, "</Projects>"...)
	w.Header().Set("Cache-Control", "private, no-cache")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/xml; charset=utf-8", out)
}
