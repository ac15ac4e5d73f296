package requestpages

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/journal/statusclass"
	"stoa.dev/stoa/internal/platform/route"
)

// row is one request in the list.
type row struct {
	ID, Method, Path, Status, Class, Service, Reason, Caller, Duration, Fault, Rule string
	// Held is how long the fault held the request back, empty for none.
	Held string
	At   time.Time
}

func toRow(r *journal.Record) row {
	path := r.Path()
	if q := r.Query(); q != "" {
		path += "?" + q
	}
	held := ""
	if r.Delay.Machine > 0 {
		held = Duration(r.Delay.Machine)
	}
	return row{
		Held: held, ID: r.ID(), Method: r.Method, Path: path, Status: strconv.Itoa(r.Status), Class: Class(r.Status),
		Service: r.Service, Reason: r.Reason(), Caller: callerText(r.Caller()), Duration: Duration(r.Duration),
		Fault: r.Fault(), Rule: r.FaultRule(),
		At: r.At,
	}
}

// callerText is who asked, without the words of the log: "personal user=ada" is ada
// with a personal token.
func callerText(logged string) string {
	kind, user, ok := strings.Cut(logged, " user=")
	if !ok {
		return logged
	}
	user, rest, _ := strings.Cut(user, " ")
	if rest != "" {
		rest = ", " + rest
	}
	return user + " (" + kind + rest + ")"
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
	Services []service
	Next     string
	First    string
	Events   string
	Full     bool
	// More opens the filters besides the text.
	More    bool
	Problem string
	// URL is the address to send a first request to.
	URL string
	// Filtered says that requests were chosen.
	Filtered bool
}

// service is one to choose; the title says what is no service.
type service struct{ Name, Title string }

func (p *Pages) services() []service {
	var list []service
	for _, name := range p.o.Services {
		title := map[string]string{
			"stoa": "no service: unknown paths", "manual": "documentation pages", "console": "console pages",
		}[name]
		list = append(list, service{name, cmp.Or(title, name)})
	}
	return list
}

// filterNames are the parameters that choose requests.
func filterNames() []string {
	return []string{"service", "method", "status", "caller", "path", "text", "console"}
}

// chosen is what a list shows; console also takes the calls of the console's own pages.
type chosen struct {
	journal.Filter
	console bool
}

// filter reads the address of a list.
func filter(q url.Values) (f chosen, problem string) {
	f = chosen{console: q.Get("console") != "", Filter: journal.Filter{
		Service: q.Get("service"), Method: q.Get("method"), Caller: q.Get("caller"), Path: q.Get("path"), Text: q.Get("text"),
	}}
	var ok bool
	if f.Status, ok = statusclass.Parse(q.Get("status")); !ok {
		return f, "Write a status such as 404, or a class such as 4xx."
	}
	return f, ""
}

// wanted reports whether the list shows the record.
func (p *Pages) wanted(f *chosen, r *journal.Record) bool {
	if !f.console && r.ByConsole {
		return false
	}
	if f.Service == "" {
		for _, own := range p.o.Own {
			if r.Service == own {
				return false
			}
		}
	}
	return f.Match(r)
}

// Recent are the newest requests that the list shows without a filter, at most n.
func (p *Pages) Recent(n int) (template.HTML, error) {
	var rows []row
	var all chosen
	looked := 0
	for record := range p.o.Journal.NewestFirst(0) {
		if looked++; looked > maxLooked || len(rows) == n {
			break
		}
		if p.wanted(&all, record) {
			rows = append(rows, toRow(record))
		}
	}
	page, err := p.render("recent", "", rows)
	return page.HTML, err
}

// List is the page of the requests, newest first.
func (p *Pages) List(r *route.Request) (Page, error) {
	q := r.Query()
	body := listBody{
		Filter: map[string]string{}, Services: p.services(), Full: p.o.Journal.Mode() == journal.Full,
		URL: p.o.URL(r.Context()),
	}
	query := url.Values{}
	for _, name := range filterNames() {
		body.Filter[name] = q.Get(name)
		if q.Get(name) != "" {
			body.Filtered, body.More = true, body.More || name != "text"
			query.Set(name, q.Get(name))
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
			query.Set("before", strconv.FormatUint(last, 10))
			body.Next = Base + "?" + query.Encode()
			query.Del("before")
			break
		}
		last = record.Number()
		if p.wanted(&f, record) {
			body.Rows = append(body.Rows, toRow(record))
		}
	}
	if before != 0 {
		body.First = Base + "?" + query.Encode()
	} else {
		body.Events = Base + "/stream?" + query.Encode()
	}
	return p.render("list", "Requests", body)
}
