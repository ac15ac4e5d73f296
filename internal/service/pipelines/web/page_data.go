package web

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

//go:embed templates/*.html assets/*
var files embed.FS

// templates are the parsed pages by name.
type templates map[string]*template.Template

// parsedTemplates are immutable and the same in all worlds of a process.
var parsedTemplates = sync.OnceValue(parseTemplates)

// parseTemplates parses what is embedded; a mistake there is a programming error and found by the first test.
func parseTemplates() templates {
	all := templates{}
	for _, name := range []string{"problem", "projects", "project", "build"} {
		all[name] = template.Must(template.New("layout").Funcs(template.FuncMap{
			"stamp":  func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") },
			"short":  func(sha string) string { return sha[:min(len(sha), 8)] },
			"colour": statusGroup,
			"words":  func(s build.Status) string { return strings.ReplaceAll(string(s), "_", " ") },
		}).ParseFS(files, "templates/layout.html", "templates/"+name+".html"))
	}
	return all
}

// page is what every template gets.
type page struct {
	Title string
	User  *identity.User
	// Root is the first segment of the page's address.
	Root string
	Here string
	// Live pages follow the events of their job.
	Live bool
	Body any
}

// Bounds of a page.
const (
	// maxListed is how many jobs the page of a project lists.
	maxListed = 50
	// maxStepText is how much of a step's output a page holds, the whole is a link; maxPageText bounds all steps.
	maxStepText = 64 << 10
	maxPageText = 2 << 20
	// maxFailed is how many failed tests it names.
	maxFailed = 1000
)

// projectCard is a project of the list.
type projectCard struct {
	Repo   forge.Repository
	Link   string
	Latest *build.Build
}

func (p *Pages) projectCards(ctx context.Context, repos []forge.Repository, k vcs.Kind) ([]projectCard, error) {
	cards := make([]projectCard, 0, len(repos))
	for _, repo := range repos {
		latest, err := p.latest(ctx, repo.ID, "", "", build.FilterNone)
		if err != nil {
			return nil, err
		}
		cards = append(cards, projectCard{Repo: repo, Link: p.Names.PagePath(repo, k), Latest: latest})
	}
	return cards, nil
}

// latest is the newest job that is admitted, nil when there is none.
func (p *Pages) latest(ctx context.Context, repoID int64, branch, job string, f build.Filter) (*build.Build, error) {
	b, err := build.Latest(ctx, p.World.DB, repoID, branch, job, f)
	if errors.Is(err, database.ErrNotFound) {
		return nil, nil
	}
	return &b, err
}

// projectPage is one project with its newest jobs.
type projectPage struct {
	Repo   forge.Repository
	Link   string
	Branch string
	Builds []build.Build
	Badge  string
}

func (p *Pages) projectPage(
	ctx context.Context, repo forge.Repository, k vcs.Kind, branch string,
) (projectPage, error) {
	link := p.Names.PagePath(repo, k)
	body := projectPage{Repo: repo, Link: link, Branch: branch, Badge: link + ".svg"}
	rows, err := build.List(ctx, p.World.DB, repo.ID, branch, build.FilterNone, maxListed, 0)
	if err != nil {
		return body, err
	}
	for _, row := range rows {
		b, err := build.ByID(ctx, p.World.DB, row.ID)
		if err != nil {
			return body, err
		}
		body.Builds = append(body.Builds, b)
	}
	return body, nil
}

// buildPage is one job.
type buildPage struct {
	Repo      forge.Repository
	Link      string
	Build     build.Build
	Took      string
	Steps     []stepView
	Artifacts []artifactView
	Passed    int
	Failed    []string
	Skipped   int
	Workflow  []build.Build
	Events    string
	Log       string
}

// Reason reports whether a message says why the job ended as it did.
func (p buildPage) Reason() bool {
	return slices.ContainsFunc(p.Build.Messages, func(m build.Message) bool { return m.Type != "warning" })
}

type stepView struct {
	build.Action
	Title string
	Took  string
	Open  bool
	Text  string
	Cut   bool
}

type artifactView struct {
	build.Artifact
	Link string
}

// build finds the job of a page.
func (p *Pages) build(ctx context.Context, repoID, num int64) (build.Build, error) {
	b, err := build.ByNum(ctx, p.World.DB, repoID, num)
	if errors.Is(err, database.ErrNotFound) {
		return b, errNotFound("Build not found")
	}
	return b, err
}

// buildPage reads everything that the page of a job shows.
func (p *Pages) buildPage(
	ctx context.Context, repo forge.Repository, k vcs.Kind, b build.Build,
) (body buildPage, err error) {
	self := p.Names.BuildPath(repo, k, b.Num)
	body = buildPage{
		Repo: repo, Link: p.Names.PagePath(repo, k), Build: b, Took: elapsed(b.StartTime, b.StopTime),
		Events: self + "/events", Log: self + "/log",
	}
	if body.Steps, err = p.stepViews(ctx, b.ID); err != nil {
		return body, err
	}
	artifacts, err := build.Artifacts(ctx, p.World.DB, b.ID, p.now())
	if err != nil {
		return body, err
	}
	for _, a := range artifacts {
		body.Artifacts = append(body.Artifacts, artifactView{a, self + vcs.ArtifactPath(a.Node, a.Path)})
	}
	if b.Workflow.ID != "" {
		if body.Workflow, err = build.OfWorkflow(ctx, p.World.DB, b.Workflow.ID); err != nil {
			return body, err
		}
	}
	return body, build.EachTest(ctx, p.World.DB, b.ID, body.count)
}

// count adds a reported test.
func (p *buildPage) count(c build.TestCase) {
	switch c.Result {
	case "success":
		p.Passed++
	case "skipped":
		p.Skipped++
	default:
		if len(p.Failed) < maxFailed {
			p.Failed = append(p.Failed, strings.TrimPrefix(c.Class+" "+c.Name, " "))
		}
	}
}

func (p *Pages) stepViews(ctx context.Context, buildID int64) ([]stepView, error) {
	actions, err := build.Actions(ctx, p.World.DB, buildID, 0)
	if err != nil {
		return nil, err
	}
	left := maxPageText
	steps := make([]stepView, 0, len(actions))
	for _, a := range actions {
		step := stepView{
			Action: a, Title: stepTitle(a.Name), Took: elapsed(a.StartedAt, a.EndedAt), Open: a.Status != build.ActionSuccess,
		}
		if step.Text, step.Cut, err = p.head(ctx, a, min(maxStepText, left)); err != nil {
			return nil, err
		}
		left -= len(step.Text)
		steps = append(steps, step)
	}
	return steps, nil
}

// head is the first part of what an action printed, at most so many bytes.
func (p *Pages) head(ctx context.Context, a build.Action, limit int) (text string, cut bool, err error) {
	if a.OutputSize == 0 || limit <= 0 {
		return "", a.OutputSize > 0, nil
	}
	var out strings.Builder
	_, err = build.EachPiece(ctx, p.World.DB, a.BuildID, a.Step, a.Node, 0, func(_ build.Piece, text []byte) error {
		if left := limit - out.Len(); left < len(text) {
			cut = true
			out.Write(text[:left])
			return build.ErrEnough
		}
		out.Write(text)
		return nil
	})
	return strings.ToValidUTF8(out.String(), "\uFFFD"), cut, err
}

func elapsed(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return to.Sub(from).Round(10 * time.Millisecond).String()
}
