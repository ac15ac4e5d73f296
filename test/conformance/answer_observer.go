package conformance

import (
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/openapi/answers"
	"stoa.dev/stoa/test/program"
)

// learnVariable names the folder that takes what was answered; `make openapi`
// sets it.
const learnVariable = "STOA_ANSWERS"

// Observer looks at the answers of one server. It holds them against the
// descriptions in docs/openapi, or learns their shapes when it is asked to.
type Observer struct {
	known known
	learn bool
	// mu guards book: rows call side by side.
	mu   sync.Mutex
	book answers.Book
}

// known is what all servers of the process compare answers with.
type known struct {
	table        *answers.Table
	descriptions map[string]*answers.Description
	err          error
}

// described is read-only: it is made once, by the first server.
var described = sync.OnceValue(func() known {
	services := app.Services()
	k := known{table: answers.NewTable(services), descriptions: map[string]*answers.Description{}}
	root, err := program.Root()
	if err != nil {
		return known{err: err}
	}
	for _, m := range services {
		if len(m.Routes) == 0 {
			continue
		}
		d, err := answers.ReadDescription(filepath.Join(root, "docs", "openapi", m.Name+".json"))
		if err != nil {
			return known{err: err}
		}
		k.descriptions[m.Name] = d
	}
	return k
})

// Observe makes an observer. What it learns is kept when the test ends.
func Observe(t *testing.T) *Observer {
	t.Helper()
	o := &Observer{known: described(), book: answers.Book{}}
	if o.known.err != nil {
		t.Fatalf("read the descriptions: %v", o.known.err)
	}
	folder := os.Getenv(learnVariable)
	if folder == "" {
		return o
	}
	o.learn = true
	t.Cleanup(func() {
		if err := o.book.Save(folder); err != nil {
			t.Errorf("keep what was answered: %v", err)
		}
	})
	return o
}

// see looks at one answer. Answers in part, which the caller asked for with
// fields, show less than the operation has.
func (o *Observer) see(t *testing.T, r *http.Request, answer *http.Response, body []byte) {
	if o == nil {
		return
	}
	t.Helper()
	if answer.StatusCode < 200 || r.Method == http.MethodHead || r.URL.Query().Has("fields") {
		return
	}
	if r.Header.Get(faultHeader) != "" && answer.StatusCode >= http.StatusMultipleChoices {
		return // the fault's answer, not the operation's
	}
	service, operation := o.known.table.Find(r)
	if service == "" {
		return
	}
	problem := o.Look(service, operation, &Answer{Status: answer.StatusCode, Header: answer.Header, Body: body})
	if problem != "" {
		t.Errorf("%s of %s: %s; docs/openapi/%s.json does not know that: if it is meant, run make openapi", operation,
			service, problem, service)
	}
}

// Look says what an answer has that its description has not, empty when nothing. An
// observer that learns notes it instead.
func (o *Observer) Look(service, operation string, a *Answer) string {
	status := strconv.Itoa(a.Status)
	if a.Status >= http.StatusMultipleChoices {
		status = answers.Refused
	}
	kind, shape, err := form(a)
	if err != nil {
		return "the answer is not JSON: " + err.Error()
	}
	if o.learn {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.book.Add(service, operation, status, kind, shape)
		return ""
	}
	return o.known.descriptions[service].Unknown(operation, status, kind, shape)
}

// form is the media type of an answer, empty where it has no body, and the shape of what
// is JSON in it.
func form(a *Answer) (kind string, shape *answers.Shape, err error) {
	// A type that cannot be read is none, and none is described.
	kind, _, _ = mime.ParseMediaType(a.Header.Get("Content-Type"))
	switch {
	case len(a.Body) == 0:
		return "", &answers.Shape{}, nil
	case kind == "text/event-stream":
		return kind, answers.OfEvents(a.Body), nil
	case strings.HasSuffix(kind, "/json") || strings.HasSuffix(kind, "+json"):
		shape, err = answers.Of(a.Body)
		if err == nil && shape.Members["openapi"] != nil {
			shape = &answers.Shape{Types: answers.Types{"object"}} // a description is not described itself
		}
		return kind, shape, err
	}
	return kind, &answers.Shape{}, nil
}
