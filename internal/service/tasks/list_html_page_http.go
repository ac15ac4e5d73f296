package tasks

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"sync"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/hostmux"
)

//go:embed templates/*.html
var pageFiles embed.FS

const (
	// pagesPrefix is where users look at their tasks in a browser; webViewLink leads
	// there.
	pagesPrefix = "/tasks/view"
	// pageTasks and pageLists bound one page.
	pageTasks = 1000
	pageLists = 100
)

// parsedPages are immutable and the same in all worlds of a process.
var parsedPages = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pageFiles, "templates/*.html"))
})

// handler joins the API and the pages, which have an envelope of their own.
func (s *Service) handler(routes []route.Route) http.Handler {
	mux := hostmux.New(route.New(s.muxOptions(), routes))
	mux.Prefix(pagesPrefix, route.New(s.world.RouteOptions(route.Options{
		Service: Name + "_pages", WriteError: s.writePageError,
	}), []route.Route{
		{Method: "GET", Pattern: pagesPrefix, Name: "page_list", Handle: s.handleListPage},
		{Method: "GET", Pattern: pagesPrefix + "/{tasklist}", Name: "page_list", Handle: s.handleListPage},
	}))
	return mux
}

// webViewLink is the page on which a user sees the task.
func webViewLink(base string, t Task) string { return base + pagesPrefix + "/" + t.ListID + "#" + t.ID }

// listView is what the page of a list shows.
type listView struct {
	Title string
	Lists []listLink
	Rows  []*taskRow
	// More means that only the Shown first tasks are on the page.
	More  bool
	Shown int
}

type listLink struct{ Title, Link string }

type taskRow struct {
	ID, Title, Notes, Due string
	Done                  bool
	Children              []*taskRow
}

// handleListPage shows a list to its owner, who signs in first.
func (s *Service) handleListPage(w http.ResponseWriter, r *route.Request) error {
	show, err := s.identity.ShowPage(func(r *route.Request, u *identity.User) (identity.Page, error) {
		if u == nil {
			return identity.Page{}, identity.ErrSignIn
		}
		id := r.PathValue("tasklist")
		if id == "" {
			id = DefaultList
		}
		v, err := s.viewList(r, u.ID, id)
		if err != nil {
			return identity.Page{}, err
		}
		var out bytes.Buffer
		err = parsedPages().ExecuteTemplate(&out, "list.html", v)
		return identity.Page{Title: v.Title, HTML: template.HTML(out.String())}, err //nolint:gosec // a template escaped it
	})
	if err != nil {
		return err
	}
	return show(w, r)
}

func (s *Service) viewList(r *route.Request, userID int64, id string) (listView, error) {
	list, err := s.GetList(r.Context(), userID, id)
	if err != nil {
		return listView{}, err
	}
	lists, err := s.ListLists(r.Context(), userID, listCursor{}, pageLists)
	if err != nil {
		return listView{}, err
	}
	tasks, err := s.ListTasks(r.Context(), userID, list.ID, Filter{ShowCompleted: true}, taskCursor{}, pageTasks+1)
	if err != nil {
		return listView{}, err
	}
	v := listView{Title: list.Title, More: len(tasks) > pageTasks, Shown: pageTasks}
	for _, l := range lists {
		v.Lists = append(v.Lists, listLink{l.Title, pagesPrefix + "/" + l.ID})
	}
	v.Rows = nested(tasks[:min(len(tasks), pageTasks)])
	return v, nil
}

// nested puts children below their parents. A task whose parent is not shown stands
// at the top level.
func nested(tasks []Task) []*taskRow {
	rows := map[string]*taskRow{}
	for _, t := range tasks {
		due := ""
		if !t.Due.IsZero() {
			due = t.Due.Format("2 January 2006")
		}
		rows[t.ID] = &taskRow{ID: t.ID, Title: t.Title, Notes: t.Notes, Due: due, Done: t.Status == Completed}
	}
	var top []*taskRow
	for _, t := range tasks {
		if parent := rows[t.Parent]; parent != nil {
			parent.Children = append(parent.Children, rows[t.ID])
		} else {
			top = append(top, rows[t.ID])
		}
	}
	return top
}

// writePageError is the envelope of the pages.
func (s *Service) writePageError(w http.ResponseWriter, r *route.Request, err error) {
	var own *Error
	f := fault.Common(r, err)
	m := identity.Message{Status: f.Code, Title: http.StatusText(f.Code), Text: f.Message + "."}
	if errors.As(err, &own) || errors.Is(err, route.ErrNoRoute) {
		m = identity.Message{
			Status: http.StatusNotFound, Title: "Not found", Text: "There is no such list, or it is another user's.",
		}
	}
	say, failed := s.identity.ShowMessage(m)
	if failed != nil || say(w, r) != nil {
		http.Error(w, m.Title, m.Status)
	}
}
