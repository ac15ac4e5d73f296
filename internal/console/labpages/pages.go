package labpages

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
)

//go:embed templates/*.html
var files embed.FS

// Base is the address that the pages lie below.
const Base = "/console/lab"

// Options are what the pages are made of.
type Options struct {
	// Control is the control API for who has the lab's token, and the world's name;
	// nil and empty without a lab.
	Control func() (http.Handler, string)
	Clock   clock.Clock
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
	t := template.New("lab").Funcs(design.Functions())
	return template.Must(t.ParseFS(files, "templates/*.html"))
})

// Link is an entry of the navigation.
type Link struct{ Name, Title, URL string }

// Links are the pages.
func Links() []Link {
	return []Link{
		{"worlds", "Worlds", Base}, {"clock", "Clock", Base + "/clock"}, {"faults", "Faults", Base + "/faults"},
		{"inbox", "Inbox", Base + "/inbox"}, {"conduct", "Conduct", Base + "/conduct"},
	}
}

// Visit is a request of a signed-in administrator.
type Visit struct {
	Request *route.Request
	Form    string
	Values  url.Values
}

// Page is the content of a page, or where to go instead.
type Page struct {
	Name, Title string
	HTML        template.HTML
	Status      int
	Redirect    string
}

// Bar is what every page shows.
type Bar struct {
	World  string
	Mode   string
	Now    time.Time
	Faults int
}

// Bar is nil without a lab, and when the lab does not answer.
func (p *Pages) Bar(r *route.Request) *Bar {
	_, world := p.o.Control()
	if world == "" {
		return nil
	}
	var c clockState
	var f faultList
	err := errors.Join(p.ask(r.Context(), "GET", "/worlds/"+world+"/clock", nil, &c),
		p.ask(r.Context(), "GET", "/worlds/"+world+"/faults", nil, &f))
	if err != nil {
		return nil
	}
	return &Bar{World: world, Mode: c.Mode, Now: c.Now, Faults: len(f.Faults)}
}

// refusal is what the lab says when it refuses.
type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next"`
}

// Error is the message and the next step.
func (r *refusal) Error() string {
	if r.Next == "" {
		return r.Message
	}
	return r.Message + " (" + r.Next + ")"
}

// ask calls the control API.
func (p *Pages) ask(ctx context.Context, method, path string, body, into any) error {
	control, world := p.o.Control()
	if control == nil || world == "" {
		return route.ErrNoRoute
	}
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://lab/lab/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	} else {
		r.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	control.ServeHTTP(w, r)
	if w.status >= http.StatusBadRequest {
		var refused struct {
			Error refusal `json:"error"`
		}
		if json.Unmarshal(w.body.Bytes(), &refused) != nil || refused.Error.Message == "" {
			refused.Error.Message = "the lab answered with status " + http.StatusText(w.status)
		}
		return &refused.Error
	}
	if into == nil || w.body.Len() == 0 {
		return nil
	}
	return json.Unmarshal(w.body.Bytes(), into)
}

// recorder keeps an answer of the lab in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is that of the answer.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader keeps the status.
func (w *recorder) WriteHeader(status int) { w.status = status }

// Write keeps the body.
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

func (p *Pages) render(name, title string, data any) (Page, error) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	page := Page{Name: name, Title: title, Status: http.StatusOK}
	page.HTML = template.HTML(out.String()) //nolint:gosec // html/template escaped it
	return page, nil
}

type clockState struct {
	Mode string    `json:"mode"`
	Now  time.Time `json:"now"`
	Rate float64   `json:"rate"`
}

type world struct {
	Name      string     `json:"name"`
	URL       string     `json:"url"`
	PrefixURL string     `json:"prefixUrl"`
	State     string     `json:"state"`
	From      string     `json:"from"`
	Seed      uint64     `json:"seed"`
	Dialect   string     `json:"dialect"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt"`
	Clock     clockState `json:"clock"`
}

type snapshot struct {
	Name      string    `json:"name"`
	Bytes     int64     `json:"bytes"`
	CreatedAt time.Time `json:"createdAt"`
}

type faultList struct {
	Faults []fault `json:"faults"`
}

type fault struct {
	ID    string          `json:"id"`
	Hits  int             `json:"hits"`
	Match json.RawMessage `json:"match"`
	When  json.RawMessage `json:"when"`
	Deed  json.RawMessage `json:"deed"`
}

type catalogued struct {
	Service     string   `json:"service"`
	Name        string   `json:"name"`
	Status      int      `json:"status"`
	Description string   `json:"description"`
	Operations  []string `json:"operations"`
}

type inbox struct {
	Name     string          `json:"name"`
	URL      string          `json:"url"`
	HTTPSURL string          `json:"httpsUrl"`
	Answer   json.RawMessage `json:"answer"`
	Messages []received
}

type received struct {
	At       time.Time         `json:"at"`
	Method   string            `json:"method"`
	Headers  map[string]string `json:"headers"`
	Body     any               `json:"body"`
	Answered int               `json:"answered"`
}

type ran struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Service string    `json:"service"`
	Outcome string    `json:"outcome"`
	Detail  string    `json:"detail"`
}

type moved struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Ran      []ran     `json:"ran"`
	RanCount int       `json:"ranCount"`
	Left     int       `json:"left"`
}

type finding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Service  string   `json:"service"`
	Count    int      `json:"count"`
	Message  string   `json:"message"`
	Contract string   `json:"contract"`
	Requests []string `json:"requests"`
}
