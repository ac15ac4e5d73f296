package generate

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/requestlog"
)

//go:embed templates/*.html
var pageFiles embed.FS

// pagesPrefix is where users read what was stored.
const pagesPrefix = "/generate"

// pageEntries is how many requests one page lists.
const pageEntries = 30

func (s *Service) pageRoutes() []route.Route {
	return []route.Route{
		{
			Method: "GET", Pattern: pagesPrefix + "/requests", Name: "page_requests",
			Handle: s.page("requests.html", "Stored requests", s.listRequests),
		},
		{
			Method: "GET", Pattern: pagesPrefix + "/requests/{entry}", Name: "page_request",
			Handle: s.page("request.html", "Stored request", s.showRequest),
		},
	}
}

func (s *Service) pageOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service: Name + "_pages", WriteError: s.writePageError, Timeout: time.Minute,
	})
}

// parsedPages are immutable and the same in all worlds of a process.
var parsedPages = sync.OnceValue(parsePages)

// parsePages reads what is embedded; a mistake there is a programming error and
// found by the first test.
func parsePages() *template.Template {
	return template.Must(template.ParseFS(pageFiles, "templates/*.html"))
}

// pageView is what the pages show.
type pageView struct {
	Entries []entryView
	Older   string
	Entry   entryView
	// Request and Response are JSON, laid out for reading.
	Request, Response string
}

// entryView is a stored request in a line.
type entryView struct {
	ID          int64
	Model       string
	Asked, Said string
	At, Until   string
}

// page shows a page in the console's frame. Users sign in first, and see their own
// requests only.
func (s *Service) page(
	name, title string, fill func(r *route.Request, u *identity.User) (pageView, error),
) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		show, err := s.identity.ShowPage(func(r *route.Request, u *identity.User) (identity.Page, error) {
			if u == nil {
				return identity.Page{}, identity.ErrSignIn
			}
			v, err := fill(r, u)
			if err != nil {
				return identity.Page{}, err
			}
			var out bytes.Buffer
			err = s.templates.ExecuteTemplate(&out, name, v)
			return identity.Page{Title: title, HTML: template.HTML(out.String())}, err
		})
		if err != nil {
			return err
		}
		return show(w, r)
	}
}

// writePageError is the envelope of the pages.
func (s *Service) writePageError(w http.ResponseWriter, r *route.Request, err error) {
	var own *api.Error
	f := fault.Common(r, err)
	m := identity.Message{Status: f.Code, Title: http.StatusText(f.Code), Text: f.Message + "."}
	switch {
	case errors.As(err, &own) || errors.Is(err, route.ErrNoRoute):
		m = identity.Message{
			Status: http.StatusNotFound, Title: "Not found", Text: "There is no such page, or it is another user's.",
		}
	case f.Code == http.StatusInternalServerError:
		m.Title, m.Text = "Something went wrong", "The log names the cause under request id "+r.ID+"."
	}
	say, failed := s.identity.ShowMessage(m)
	if failed != nil || say(w, r) != nil {
		http.Error(w, m.Title, m.Status)
	}
}

func (s *Service) listRequests(r *route.Request, user *identity.User) (v pageView, err error) {
	before := int64(math.MaxInt64)
	if raw := r.Query().Get("before"); raw != "" {
		if before, err = strconv.ParseInt(raw, 10, 64); err != nil {
			return v, errNoEntry()
		}
	}
	entries, err := requestlog.Titles(r.Context(), s.world.DB, user.ID, before, s.now(), pageEntries)
	for _, e := range entries {
		v.Entries = append(v.Entries, viewOf(e))
	}
	if len(entries) == pageEntries {
		v.Older = pagesPrefix + "/requests?before=" + strconv.FormatInt(entries[len(entries)-1].ID, 10)
	}
	return v, err
}

func errNoEntry() *api.Error {
	return &api.Error{Code: api.CodeNotFound, Message: "there is no such stored request"}
}

func (s *Service) showRequest(r *route.Request, user *identity.User) (v pageView, err error) {
	id, err := strconv.ParseInt(r.PathValue("entry"), 10, 64)
	if err != nil || id < 1 || id == math.MaxInt64 {
		return v, errNoEntry()
	}
	// The newest before the next number is the one of that number, or another.
	entries, err := requestlog.OfUser(r.Context(), s.world.DB, user.ID, id+1, s.now(), 1)
	if err != nil {
		return v, err
	}
	if len(entries) == 0 || entries[0].ID != id {
		return v, errNoEntry()
	}
	e := entries[0]
	return pageView{Entry: viewOf(e), Request: laidOut(e.Request), Response: laidOut(e.Response)}, nil
}

func laidOut(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return string(raw)
	}
	return out.String()
}

func viewOf(e requestlog.Entry) entryView {
	const form = "2 Jan 2006, 15:04:05"
	return entryView{
		ID: e.ID, Model: e.Model, Asked: e.Asked, Said: e.Said,
		At: e.CreatedAt.UTC().Format(form), Until: e.ExpiresAt.UTC().Format(form),
	}
}
