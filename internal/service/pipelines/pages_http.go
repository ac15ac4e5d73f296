package pipelines

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

//go:embed templates/*.html assets/*
var pageFiles embed.FS

// pageRoutes are what people see in a browser, badges and feeds included. Below
// a number there is one pattern, for the reason that routes gives.
func (s *Service) pageRoutes() []route.Route {
	page := func(pattern, name string, handle route.Handler) route.Route {
		return route.Route{Method: "GET", Pattern: pattern, Name: name, Handle: handle}
	}
	return []route.Route{
		page("/{vcs}", "page_projects", s.handleProjectsPage),
		page("/{vcs}/-/{asset}", "page_asset", s.handleAsset),
		page("/{vcs}/{username}/{project}", "page_project", s.handleProjectPage),
		page("/{vcs}/{username}/{project}/tree/{branch...}", "page_branch", s.handleProjectPage),
		page("/{vcs}/{username}/{project}/{build_num}", "page_build", s.handleBuildPage),
		{Method: "GET", Pattern: "/{vcs}/{username}/{project}/{build_num}/{part...}", Name: "page_part", Streams: true, Handle: s.handleBuildPart},
		page("/cc.xml", "feed", s.handleFeed),
	}
}

func (s *Service) pageOptions() route.Options {
	return route.Options{
		Service: Name + "_pages", WriteError: s.writePageError, Gate: s.gate, Timeout: answerTime,
		Clock: s.world.Clock, IDs: s.world.IDs, Memory: s.world.Memory, Requests: s.world.Requests, Telemetry: s.world.Telemetry,
	}
}

// pages are the parsed templates by name.
type pages map[string]*template.Template

// newPages parses what is embedded; a mistake there is a programming error and
// found by the first test.
func newPages() pages {
	all := pages{}
	for _, name := range []string{"problem", "projects", "project", "build"} {
		all[name] = pageTemplate(name)
	}
	return all
}

// pageTemplate parses a page with its layout.
func pageTemplate(name string) *template.Template {
	return template.Must(template.New("layout").Funcs(template.FuncMap{
		"stamp":  func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05") },
		"short":  func(sha string) string { return sha[:min(len(sha), 8)] },
		"colour": colour,
		"words":  func(s Status) string { return strings.ReplaceAll(string(s), "_", " ") },
	}).ParseFS(pageFiles, "templates/layout.html", "templates/"+name+".html"))
}

// pageView is what every page gets.
type pageView struct {
	Title string
	User  *identity.User
	// Root is the first segment of the page's address.
	Root string
	Here string
	Live bool
	Body any
}

// show renders a page to memory first, so that a failing template never leaves
// half a page.
func (s *Service) show(w http.ResponseWriter, r *route.Request, status int, name string, v pageView) error {
	var out bytes.Buffer
	v.Root, v.Here = "/"+s.words.shorts[vcsA], r.URL.RequestURI()
	if err := s.pages[name].ExecuteTemplate(&out, "layout", v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	return wire.WriteBytes(w, r.Request, status, "text/html; charset=utf-8", out.Bytes())
}

// problemView is a page that says what is wrong and what can be done.
type problemView struct {
	Text   string
	SignIn string
}

// writePageError is the envelope of the pages.
func (s *Service) writePageError(w http.ResponseWriter, r *route.Request, err error) {
	var own *Error
	var exceeded *limit.Exceeded
	status, title := http.StatusInternalServerError, "Something went wrong"
	p := problemView{Text: "The log names the cause under request id " + r.ID + "."}
	switch {
	case errors.As(err, &own) && own.Code == CodeLogin:
		status, title, p.Text = http.StatusUnauthorized, "Sign in to see this", "It may be private, or it may not exist."
		p.SignIn = "/console/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
	case errors.As(err, &own):
		status, title, p.Text = statusOfCode(own.Code), http.StatusText(statusOfCode(own.Code)), own.Message+"."
	case errors.Is(err, route.ErrNoRoute):
		status, title, p.Text = http.StatusNotFound, "Not found", "There is no such page."
	case errors.As(err, &exceeded):
		status, title, p.Text = http.StatusTooManyRequests, "Too many requests", "Wait a moment and try again."
	default:
		if code, text := s.classify(w, r, err); code < http.StatusInternalServerError {
			status, title, p.Text = code, http.StatusText(code), text
		}
	}
	// The connection is all that can fail here, and then nobody is listening.
	_ = s.show(w, r, status, "problem", pageView{Title: title, Body: p})
}

// pageTarget is the project of a page for whoever looks at it.
func (s *Service) pageTarget(r *route.Request) (forge.Repository, vcs, *identity.User, error) {
	v, err := s.pageVCS(r)
	if err != nil {
		return forge.Repository{}, v, nil, err
	}
	user, err := s.identity.SignedInUser(r)
	if err != nil {
		return forge.Repository{}, v, nil, err
	}
	repo, err := s.find(r.Context(), viewer(user), r.PathValue("username"), r.PathValue("project"), rightRead)
	return repo, v, user, err
}

func (s *Service) pageVCS(r *route.Request) (vcs, error) {
	for v, names := range s.words.shortNames {
		if slices.Contains(names, r.PathValue("vcs")) {
			return vcs(v), nil
		}
	}
	return vcsA, route.ErrNoRoute
}

// projectCard is a project of the list.
type projectCard struct {
	Repo   forge.Repository
	Link   string
	Latest *Build
}

func (s *Service) handleProjectsPage(w http.ResponseWriter, r *route.Request) error {
	v, err := s.pageVCS(r)
	if err != nil {
		return err
	}
	user, err := s.identity.SignedInUser(r)
	if err != nil {
		return err
	}
	if user == nil {
		return errLogin()
	}
	repos, err := s.following(r.Context(), viewer(user))
	if err != nil {
		return err
	}
	cards := make([]projectCard, 0, len(repos))
	for _, repo := range repos {
		card := projectCard{Repo: repo, Link: "/" + s.words.shorts[v] + "/" + repo.FullName()}
		b, err := latestOf(r.Context(), s.world.DB, repo.ID, "", "", FilterNone)
		if err == nil {
			card.Latest = &b
		} else if !errors.Is(err, database.ErrNotFound) {
			return err
		}
		cards = append(cards, card)
	}
	return s.show(w, r, http.StatusOK, "projects", pageView{Title: "Projects", User: user, Body: cards})
}

// projectPage is one project with its newest jobs.
type projectPage struct {
	Repo   forge.Repository
	Link   string
	Branch string
	Builds []Build
	Badge  string
}

const pageBuilds = 50

func (s *Service) handleProjectPage(w http.ResponseWriter, r *route.Request) error {
	if done, err := s.serveBadge(w, r); done || err != nil {
		return err
	}
	repo, v, user, err := s.pageTarget(r)
	if err != nil {
		return err
	}
	p := projectPage{Repo: repo, Link: "/" + s.words.shorts[v] + "/" + repo.FullName(), Branch: cleanBranch(r.PathValue("branch"))}
	p.Badge = p.Link + ".svg"
	lines, err := projectLines(r.Context(), s.world.DB, repo.ID, FilterNone, pageBuilds, 0)
	if p.Branch != "" {
		lines, err = branchLines(r.Context(), s.world.DB, repo.ID, p.Branch, FilterNone, pageBuilds, 0)
	}
	if err != nil {
		return err
	}
	for _, l := range lines {
		b, err := buildByID(r.Context(), s.world.DB, l.id)
		if err != nil {
			return err
		}
		p.Builds = append(p.Builds, b)
	}
	return s.show(w, r, http.StatusOK, "project", pageView{Title: repo.FullName(), User: user, Body: p})
}

// buildPage is one job.
type buildPage struct {
	Repo      forge.Repository
	Link      string
	Build     Build
	Took      string
	Steps     []stepView
	Artifacts []artifactView
	Passed    int
	Failed    []string
	Skipped   int
	Workflow  []Build
	Events    string
	Log       string
}

type stepView struct {
	Action
	Took string
	Open bool
	Text string
	Cut  bool
}

type artifactView struct {
	Artifact
	Link string
}

func (s *Service) handleBuildPage(w http.ResponseWriter, r *route.Request) error {
	repo, v, user, err := s.pageTarget(r)
	if err != nil {
		return err
	}
	b, err := s.buildAt(r, repo)
	if err != nil {
		return err
	}
	memory, err := s.weigh(r, b.ID, 2*pageTotal)
	if err != nil {
		return err
	}
	defer memory.Release()
	page, err := s.buildPage(r.Context(), repo, v, b)
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "build", pageView{
		Title: repo.FullName() + " #" + r.PathValue("build_num"), User: user, Live: !b.State.Ended(), Body: page,
	})
}

// buildPage reads everything that the page of a job shows.
func (s *Service) buildPage(ctx context.Context, repo forge.Repository, v vcs, b Build) (buildPage, error) {
	link := "/" + s.words.shorts[v] + "/" + repo.FullName()
	self := s.buildURL(repo, v, b.Num)[len(s.world.URL()):]
	p := buildPage{Repo: repo, Link: link, Build: b, Took: took(b.StartTime, b.StopTime), Events: self + "/events", Log: self + "/log"}
	actions, err := actionsOf(ctx, s.world.DB, b.ID, 0)
	if err != nil {
		return p, err
	}
	room := pageTotal
	for _, a := range actions {
		step := stepView{Action: a, Took: took(a.StartedAt, a.EndedAt), Open: a.Status != ActionSuccess}
		if step.Text, step.Cut, err = s.head(ctx, a, min(pageText, room)); err != nil {
			return p, err
		}
		room -= len(step.Text)
		p.Steps = append(p.Steps, step)
	}
	artifacts, err := artifactsOf(ctx, s.world.DB, b.ID, s.now())
	if err != nil {
		return p, err
	}
	for _, a := range artifacts {
		p.Artifacts = append(p.Artifacts, artifactView{a, self + s.artifactURL(repo, v, b.Num, a)[len(s.apiURL(repo, v, b.Num)):]})
	}
	if b.Workflow.ID != "" {
		if p.Workflow, err = workflowBuilds(ctx, s.world.DB, b.Workflow.ID); err != nil {
			return p, err
		}
	}
	return p, s.countTests(ctx, &p)
}

func took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return to.Sub(from).Round(10 * time.Millisecond).String()
}

func (s *Service) handleAsset(w http.ResponseWriter, r *route.Request) error {
	name := r.PathValue("asset")
	text, err := pageFiles.ReadFile("assets/" + name)
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
