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

// observer looks at the answers of one server. It holds them against the
// descriptions in docs/openapi, or learns their shapes when it is asked to.
type observer struct {
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

func observe(t *testing.T) *observer {
	t.Helper()
	o := &observer{known: described(), book: answers.Book{}}
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
func (o *observer) see(t *testing.T, r *http.Request, answer *http.Response, body []byte) {
	if o == nil {
		return
	}
	t.Helper()
	if answer.StatusCode < 200 || answer.StatusCode > 299 || r.Method == http.MethodHead || r.URL.Query().Has("fields") {
		return
	}
	service, operation := o.known.table.Find(r)
	if service == "" {
		return
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	status, shape := strconv.Itoa(answer.StatusCode), &answers.Shape{}
	switch {
	case len(body) == 0:
		kind = ""
	case kind == "text/event-stream":
		shape = answers.OfEvents(body)
	case strings.HasSuffix(kind, "/json") || strings.HasSuffix(kind, "+json"):
		var err error
		if shape, err = answers.Of(body); err != nil {
			t.Errorf("%s answers what is not JSON: %v: %s", operation, err, body)
			return
		}
	}
	if o.learn {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.book.Add(service, operation, status, kind, shape)
		return
	}
	if len(shape.Types) == 0 {
		return
	}
	if problem := o.known.descriptions[service].Unknown(operation, status, kind, shape); problem != "" {
		t.Errorf("%s of %s: %s; docs/openapi/%s.json does not know that: if it is meant, run make openapi", operation,
			service, problem, service)
	}
}
