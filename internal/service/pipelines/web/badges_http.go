package web

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

// badgeCaller is the caller of a badge: by a token of the query, or the signed-in user.
func (p *Pages) badgeCaller(r *route.Request) (*identity.Caller, error) {
	for _, name := range append([]string{"token"}, p.TokenQueries...) {
		if secret := r.Query().Get(name); secret != "" {
			c, err := p.Identity.Verify(r.Context(), secret,
				identity.Requirement{Service: p.Service, Kinds: identity.TokenKinds()})
			if err != nil {
				return nil, identity.CredentialError(err)
			}
			return c, nil
		}
	}
	user, err := p.Identity.SignedInUser(r)
	return p.viewer(user), err
}

// serveBadge answers addresses of projects and branches that end in .svg or .cc.xml, and reports whether this is one.
func (p *Pages) serveBadge(w http.ResponseWriter, r *route.Request) (bool, error) {
	name, branch := r.PathValue("project"), strings.Trim(r.PathValue("branch"), "/")
	last := &name
	if branch != "" {
		last = &branch
	}
	suffix := ""
	for _, known := range []string{".svg", ".cc.xml"} {
		if rest, ok := strings.CutSuffix(*last, known); ok && rest != "" {
			*last, suffix = rest, known
		}
	}
	if suffix == "" {
		return false, nil
	}
	caller, err := p.badgeCaller(r)
	if err != nil {
		return true, err
	}
	repo, err := p.Projects.Find(r.Context(), caller, r.PathValue("username"), name, project.RightStatus)
	if err != nil {
		return true, err
	}
	if suffix == ".cc.xml" {
		return true, p.writeFeed(w, r, []forge.Repository{repo})
	}
	return true, p.writeBadge(w, r, repo, branch)
}

func (p *Pages) writeBadge(w http.ResponseWriter, r *route.Request, repo forge.Repository, branch string) error {
	if branch == "" {
		branch = repo.DefaultBranch
	}
	b, err := p.latest(r.Context(), repo.ID, branch, r.Query().Get("job"), build.FilterCompleted)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "image/svg+xml; charset=utf-8", badgeOf(b))
}
