package web

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// Routes are what browsers see, badges and feeds included. Paths below a number share one pattern, because net/http
// cannot tell {build_num}/{part} from tree/{branch}.
func (p *Pages) Routes() []route.Route {
	page := func(pattern, name string, handle route.Handler) route.Route {
		return route.Route{Method: "GET", Pattern: pattern, Name: name, Handle: handle}
	}
	return []route.Route{
		page("/{vcs}", "page_projects", p.handleProjects),
		page("/{vcs}/-/{asset}", "page_asset", p.handleAsset),
		page("/{vcs}/{username}/{project}", "page_project", p.handleProject),
		page("/{vcs}/{username}/{project}/tree/{branch...}", "page_branch", p.handleProject),
		page("/{vcs}/{username}/{project}/{build_num}", "page_build", p.handleBuild),
		{
			Method: "GET", Pattern: "/{vcs}/{username}/{project}/{build_num}/{part...}", Name: "page_part",
			Streams: true,
			Handle:  p.handleBuildPart,
		},
		page("/cc.xml", "feed", p.handleFeed),
	}
}

// Handler serves the routes. The options are those of the API but for the name and the error envelope, which takes the
// status of most errors from classify.
func (p *Pages) Handler(o route.Options, classify Classify) http.Handler {
	o.Service = p.Service + "_pages"
	o.Extract, o.Authenticate = nil, nil
	o.WriteError = func(w http.ResponseWriter, r *route.Request, err error) { p.writeError(w, r, err, classify) }
	return route.New(o, p.Routes())
}

// show renders a page to memory first, so that a failing template never leaves half a page.
func (p *Pages) show(w http.ResponseWriter, r *route.Request, status int, name string, v page) error {
	var out bytes.Buffer
	v.Root, v.Here = p.Names.PageRoot(vcs.A), r.URL.RequestURI()
	if err := p.templates[name].ExecuteTemplate(&out, "layout", v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
		"img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	return wire.WriteBytes(w, r.Request, status, "text/html; charset=utf-8", address.Page(r.Context(), out.Bytes()))
}

// target is the project of a page for its viewer.
func (p *Pages) target(r *route.Request) (forge.Repository, vcs.Kind, *identity.User, error) {
	k, ok := p.Names.ParseShort(r.PathValue("vcs"))
	if !ok {
		return forge.Repository{}, k, nil, route.ErrNoRoute
	}
	user, err := p.Identity.SignedInUser(r)
	if err != nil {
		return forge.Repository{}, k, nil, err
	}
	repo, err := p.Projects.Find(r.Context(), p.viewer(user), r.PathValue("username"), r.PathValue("project"),
		project.RightRead)
	return repo, k, user, err
}

// targetBuild is the job of a page for its viewer.
func (p *Pages) targetBuild(r *route.Request) (forge.Repository, vcs.Kind, *identity.User, build.Build, error) {
	repo, k, user, err := p.target(r)
	if err != nil {
		return repo, k, user, build.Build{}, err
	}
	num, err := strconv.ParseInt(r.PathValue("build_num"), 10, 64)
	if err != nil || num < 1 {
		return repo, k, user, build.Build{}, errNotFound("Build not found")
	}
	b, err := p.build(r.Context(), repo.ID, num)
	return repo, k, user, b, err
}

func (p *Pages) handleProjects(w http.ResponseWriter, r *route.Request) error {
	k, ok := p.Names.ParseShort(r.PathValue("vcs"))
	if !ok {
		return route.ErrNoRoute
	}
	user, err := p.Identity.SignedInUser(r)
	if err != nil {
		return err
	}
	if user == nil {
		return project.ErrLogin()
	}
	repos, err := p.Projects.Following(r.Context(), p.viewer(user))
	if err != nil {
		return err
	}
	cards, err := p.projectCards(r.Context(), repos, k)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, "projects", page{Title: "Projects", User: user, Body: cards})
}

func (p *Pages) handleProject(w http.ResponseWriter, r *route.Request) error {
	if done, err := p.serveBadge(w, r); done || err != nil {
		return err
	}
	repo, k, user, err := p.target(r)
	if err != nil {
		return err
	}
	body, err := p.projectPage(r.Context(), repo, k, strings.Trim(r.PathValue("branch"), "/"))
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, "project", page{Title: repo.FullName(), User: user, Body: body})
}

func (p *Pages) handleBuild(w http.ResponseWriter, r *route.Request) error {
	repo, k, user, b, err := p.targetBuild(r)
	if err != nil {
		return err
	}
	memory, err := p.Reserve(r, b.ID, 2*maxPageText)
	if err != nil {
		return err
	}
	defer memory.Release()
	body, err := p.buildPage(r.Context(), repo, k, b)
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, "build", page{
		Title: repo.FullName() + " #" + r.PathValue("build_num"), User: user, Live: !b.State.Ended(), Body: body,
	})
}

// handleBuildPart is what belongs to the page of a job: its events while it runs, its log and its artifacts.
func (p *Pages) handleBuildPart(w http.ResponseWriter, r *route.Request) error {
	_, _, _, b, err := p.targetBuild(r)
	if err != nil {
		return err
	}
	parts := strings.Split(r.PathValue("part"), "/")
	switch {
	case parts[0] == "events" && len(parts) == 1:
		return p.serveEvents(w, r, b)
	case parts[0] == "log" && len(parts) == 1:
		return p.ServeLog(w, r, b.ID)
	case parts[0] == "artifacts" && len(parts) > 2:
		return p.ServeArtifact(w, r, b.ID, parts[1], strings.Join(parts[2:], "/"))
	}
	return route.ErrNoRoute
}

func (p *Pages) handleAsset(w http.ResponseWriter, r *route.Request) error {
	name := r.PathValue("asset")
	text, err := files.ReadFile("assets/" + name)
	if err != nil {
		return route.ErrNoRoute
	}
	media := "text/css; charset=utf-8"
	if strings.HasSuffix(name, ".js") {
		media = "text/javascript; charset=utf-8"
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, media, text)
}

// viewer is the caller of a page: a signed-in user, or nil.
func (p *Pages) viewer(u *identity.User) *identity.Caller {
	if u == nil {
		return nil
	}
	return &identity.Caller{
		UserID: u.ID, UserName: u.Name, Admin: u.Admin, Kind: identity.KindPersonal,
		Services: []string{p.Service}, Scopes: identity.EveryScope(),
	}
}
