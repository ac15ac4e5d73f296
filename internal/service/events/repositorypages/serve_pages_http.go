package repositorypages

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/apps"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/refusal"
)

const (
	// memory is what the making of a page may take.
	memory = 8 << 20
	// maxText is how much of a file a page shows.
	maxText = 1 << 20
	// maxRows is how many commits, repositories and branches a page lists.
	maxRows = 100
	// perMinute is how many pages one network sees.
	perMinute = 600
)

//go:embed templates/*.html
var files embed.FS

// parsed is immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"stamp": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04") },
		"short": func(sha string) string { return sha[:min(len(sha), 8)] },
		"title": func(message string) string { first, _, _ := strings.Cut(message, "\n"); return first },
	}).ParseFS(files, "templates/*.html"))
})

// Options are what pages are made of; all are needed.
type Options struct {
	World       *world.World
	Identity    *identity.Identity
	Forge       *forge.Forge
	Discussions *discussions.Discussions
	Apps        *apps.Apps
}

// name is that of limits and in the log.
const name = "events_pages"

// Pages shows repositories.
type Pages struct {
	Options
	mux http.Handler
}

// New makes the pages.
func New(o Options) *Pages {
	p := &Pages{Options: o}
	p.mux = route.New(o.World.RouteOptions(route.Options{
		Service: name, WriteError: p.writeError, Gate: p.gate,
	}), p.Routes())
	return p
}

// appPages is where the pages of apps are; programs read the app there.
const appPages = "/apps/"

// ServeApp answers a browser that asks for the page of an app, and reports whether it does.
func (p *Pages) ServeApp(w http.ResponseWriter, r *http.Request) bool {
	slug, ok := strings.CutPrefix(r.URL.Path, appPages)
	if !ok || slug == "" || strings.Contains(slug, "/") || r.Method != http.MethodGet && r.Method != http.MethodHead ||
		!strings.Contains(r.Header.Get("Accept"), "text/html") {
		return false
	}
	p.mux.ServeHTTP(w, r)
	return true
}

// Serve answers a request whose path begins with an owner's name, and reports whether it does.
func (p *Pages) Serve(w http.ResponseWriter, r *http.Request) bool {
	owner, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || owner == "" {
		return false
	}
	if _, err := p.Forge.Owner(r.Context(), owner); err != nil {
		return false
	}
	p.mux.ServeHTTP(w, r)
	return true
}

func (p *Pages) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	w := limit.Window{Name: name, Limit: perMinute, Per: time.Minute}
	network := clientaddr.Network(r.Request)
	if _, err := p.World.Limits.Take(r.Context(), w, "network:"+network, 1); err != nil {
		return nil, err
	}
	held, err := p.World.Memory.Take(r.Context(), budget.Address(network), memory)
	if err != nil {
		return nil, err
	}
	return held.Release, nil
}

// Routes is the table of pages. Who may read one is asked of the session's user.
func (p *Pages) Routes() []route.Route {
	const repo = "/{owner}/{repo}"
	page := func(pattern, name string, make maker) route.Route {
		return route.Route{Method: "GET", Pattern: pattern, Name: name, Handle: p.handle(make)}
	}
	return []route.Route{
		page(appPages+"{slug}", "page_app", p.appPage),
		page("/{owner}", "page_owner", p.ownerPage),
		page(repo, "page_repo", p.treePage),
		page(repo+"/tree/{rest...}", "page_tree", p.treePage),
		page(repo+"/blob/{rest...}", "page_blob", p.blobPage),
		page(repo+"/releases/tag/{rest...}", "page_tag", p.tagPage),
		page(repo+"/commits", "page_commits", p.commitsPage),
		page(repo+"/commits/{rest...}", "page_commits_of", p.commitsPage),
		page(repo+"/commit/{sha}", "page_commit", p.commitPage),
		page(repo+"/compare/{rest...}", "page_compare", p.comparePage),
		page(repo+"/branches", "page_branches", p.branchesPage),
		page(repo+"/issues", "page_issues", p.listPage(false)),
		page(repo+"/issues/{number}", "page_issue", p.discussionPage),
		page(repo+"/pulls", "page_pulls", p.listPage(true)),
		page(repo+"/pull/{number}", "page_pull", p.discussionPage),
		{Method: "GET", Pattern: repo + "/info/refs", Name: "page_git", Handle: leadToGit},
	}
}

// leadToGit sends git from the address of a repository's page, with which clients of the code host
// clone, to where git is served. It is the same answer for every name: who may read is asked there.
func leadToGit(w http.ResponseWriter, r *route.Request) error {
	name, ok := strings.CutSuffix(r.PathValue("repo"), ".git")
	if !ok {
		return route.ErrNoRoute
	}
	at := url.URL{Path: "/git/" + r.PathValue("owner") + "/" + name + ".git/info/refs", RawQuery: r.URL.RawQuery}
	http.Redirect(w, r.Request, at.String(), http.StatusMovedPermanently)
	return nil
}

// content is a page by its template and what that gets.
type content struct {
	template, title string
	data            any
}

// maker makes a page for a user; zero is an anonymous one.
type maker func(r *route.Request, userID int64) (content, error)

// handle shows a page, or that there is none.
func (p *Pages) handle(make maker) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		show, err := p.Identity.ShowPage(func(r *route.Request, u *identity.User) (identity.Page, error) {
			var id int64
			if u != nil {
				id = u.ID
			}
			c, err := make(r, id)
			if err != nil {
				return identity.Page{}, err
			}
			var out bytes.Buffer
			if err := parsed().ExecuteTemplate(&out, c.template, c.data); err != nil {
				return identity.Page{}, err
			}
			html := template.HTML(out.String()) //nolint:gosec // html/template has escaped it
			return identity.Page{Title: c.title, HTML: html}, nil
		})
		if err != nil {
			return err
		}
		return show(w, r)
	}
}

// writeError shows what is wrong.
func (p *Pages) writeError(w http.ResponseWriter, r *route.Request, err error) {
	m := identity.Message{
		Status: http.StatusInternalServerError, Title: "This page could not be made", Text: "Try again later.",
	}
	var refused *refusal.Error
	var exceeded *limit.Exceeded
	switch {
	case errors.As(err, &refused), errors.Is(err, forge.ErrNotFound), errors.Is(err, forge.ErrInvalid),
		errors.Is(err, route.ErrNoRoute), errors.Is(err, identity.ErrNoPages):
		m = identity.Message{
			Status: http.StatusNotFound, Title: "There is no such page",
			Text: "There is nothing at this address, or you may not read it. Signing in may help.",
		}
	case errors.Is(err, forge.ErrTooLarge):
		m = identity.Message{Status: http.StatusRequestEntityTooLarge, Title: "Too large", Text: err.Error()}
	case errors.As(err, &exceeded):
		m = identity.Message{Status: http.StatusTooManyRequests, Title: "Too many requests", Text: "Wait a moment."}
	}
	show, errShow := p.Identity.ShowMessage(m)
	if errShow == nil {
		errShow = show(w, r)
	}
	if errShow != nil {
		w.WriteHeader(m.Status)
	}
}

// repository is the one of the path, for a user who may read it.
func (p *Pages) repository(ctx context.Context, r *route.Request, userID int64) (forge.Repository, error) {
	repo, _, err := p.Forge.Find(ctx, r.PathValue("owner"), r.PathValue("repo"))
	if err != nil {
		return repo, err
	}
	may, err := p.Forge.PermissionOf(ctx, userID, repo)
	if err == nil && may < forge.Read {
		err = refusal.NotFound()
	}
	return repo, err
}
