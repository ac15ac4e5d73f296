package requestpages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
)

//go:embed templates/*.html
var files embed.FS

// Base is the address that the pages lie below.
const Base = "/console/requests"

// rowsPerPage is how many requests one page lists.
const rowsPerPage = 100

// maxLooked bounds how many records one page looks at.
const maxLooked = 100_000

// Options are what the pages are made of.
type Options struct {
	Journal *journal.Journal
	// Keep has requests kept for a while in a world that keeps none by itself.
	Keep func()
	// Services are the names to choose from; Own are those whose requests are left out
	// unless they are asked for.
	Services []string
	Own      []string
	// Handler answers a request that is sent again.
	Handler func() http.Handler
}

// Pages makes the pages.
type Pages struct {
	o         Options
	templates *template.Template
}

// New makes the pages.
func New(o Options) *Pages { return &Pages{o: o, templates: parsed()} }

// parsed are immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	t := template.New("requests").Funcs(design.Functions())
	return template.Must(t.ParseFS(files, "templates/*.html"))
})

// Page is the content of a page, or where to go instead.
type Page struct {
	Title    string
	HTML     template.HTML
	Redirect string
}

func (p *Pages) render(name, title string, data any) (Page, error) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	return Page{Title: title, HTML: template.HTML(out.String())}, nil //nolint:gosec // html/template escaped it
}

// row is one request in the list.
type row struct {
	ID, Method, Path, Status, Class, Service, Reason, Caller, Duration, Fault string
	At                                                                        time.Time
}

func toRow(r *journal.Record) row {
	path := r.Path()
	if q := r.Query(); q != "" {
		path += "?" + q
	}
	return row{
		ID: r.ID(), Method: r.Method, Path: path, Status: strconv.Itoa(r.Status), Class: Class(r.Status),
		Service: r.Service, Reason: r.Reason(), Caller: r.Caller(), Duration: Duration(r.Duration), Fault: r.Fault(),
		At: r.At,
	}
}

// Class colours a status.
func Class(status int) string {
	switch {
	case status >= http.StatusInternalServerError:
		return "bad"
	case status >= http.StatusBadRequest:
		return "refused"
	}
	return "fine"
}

// Duration rounds to the microsecond below a millisecond, else to a tenth of a
// millisecond.
func Duration(d time.Duration) string {
	if d < time.Millisecond {
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	}
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// listBody is the page of the list.
type listBody struct {
	Rows     []row
	Filter   map[string]string
	Services []string
	Next     string
	First    string
	Events   string
	Full     bool
	Problem  string
}

// filterNames are the parameters that choose requests.
func filterNames() []string { return []string{"service", "method", "status", "caller", "path", "text"} }

// filter reads the address of a list.
func filter(q url.Values) (f journal.Filter, problem string) {
	f = journal.Filter{
		Service: q.Get("service"), Method: q.Get("method"), Caller: q.Get("caller"), Path: q.Get("path"), Text: q.Get("text"),
	}
	var ok bool
	if f.Status, ok = journal.ParseStatus(q.Get("status")); !ok {
		return f, "Write a status such as 404, or a class such as 4xx."
	}
	return f, ""
}

// wanted reports whether the list shows the record.
func (p *Pages) wanted(f *journal.Filter, r *journal.Record) bool {
	if f.Service == "" {
		for _, own := range p.o.Own {
			if r.Service == own {
				return false
			}
		}
	}
	return f.Match(r)
}

// List is the page of the requests, newest first.
func (p *Pages) List(r *route.Request) (Page, error) {
	p.o.Keep()
	q := r.Query()
	body := listBody{
		Filter: map[string]string{}, Services: p.o.Services, Full: p.o.Journal.Mode() == journal.Full,
	}
	chosen := url.Values{}
	for _, name := range filterNames() {
		body.Filter[name] = q.Get(name)
		if q.Get(name) != "" {
			chosen.Set(name, q.Get(name))
		}
	}
	f, problem := filter(q)
	body.Problem = problem
	if problem != "" {
		return p.render("list", "Requests", body)
	}
	before, _ := strconv.ParseUint(q.Get("before"), 10, 64) // what is no number is the first page
	looked := 0
	last := uint64(0)
	for record := range p.o.Journal.NewestFirst(before) {
		if looked++; looked > maxLooked || len(body.Rows) == rowsPerPage {
			chosen.Set("before", strconv.FormatUint(last, 10))
			body.Next = Base + "?" + chosen.Encode()
			chosen.Del("before")
			break
		}
		last = record.Number()
		if p.wanted(&f, record) {
			body.Rows = append(body.Rows, toRow(record))
		}
	}
	if before != 0 {
		body.First = Base + "?" + chosen.Encode()
	} else {
		body.Events = Base + "/stream?" + chosen.Encode()
	}
	return p.render("list", "Requests", body)
}

// pulse is how often a stream without requests says that it is there.
const pulse = 15 * time.Second

// Stream sends rows as requests are answered, until the reader leaves.
func (p *Pages) Stream(w http.ResponseWriter, r *route.Request) error {
	p.o.Keep()
	f, problem := filter(r.Query())
	if problem != "" {
		return route.ErrNoRoute
	}
	watcher := p.o.Journal.Watch()
	defer watcher.Stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	if err := out.Flush(); err != nil {
		return err
	}
	timer := clock.Real().NewTimer(pulse)
	defer func() { timer.Stop() }()
	for {
		text := ":\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-timer.C:
			p.o.Keep()
			timer = clock.Real().NewTimer(pulse)
		case record, ok := <-watcher.Records():
			if !ok {
				text = "event: end\ndata: \n\n"
			} else if !p.wanted(&f, record) {
				continue
			} else {
				var line bytes.Buffer
				if err := p.templates.ExecuteTemplate(&line, "row", toRow(record)); err != nil {
					return err
				}
				text = "data: " + string(bytes.ReplaceAll(address(r, line.Bytes()), []byte("\n"), nil)) + "\n\n"
			}
			if _, err := fmt.Fprint(w, text); err != nil || !ok {
				return err
			}
			if err := out.Flush(); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprint(w, text); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}
