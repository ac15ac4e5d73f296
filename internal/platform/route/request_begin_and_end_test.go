package route_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type thingJSON struct {
	Title string `json:"title"`
}

func recordedRoutes() []route.Route {
	insert := func(w http.ResponseWriter, r *route.Request) error {
		var in thingJSON
		if err := wire.ReadJSON(r.Request, &in); err != nil {
			return err
		}
		journal.From(r.Context()).AddCause("things.sweep", "1")
		return wire.WriteJSON(w, r.Request, http.StatusCreated, in)
	}
	get := func(w http.ResponseWriter, _ *route.Request) error {
		_, err := io.Copy(w, io.LimitReader(filler{}, 200<<10))
		return err
	}
	refuse := func(http.ResponseWriter, *route.Request) error { return route.ErrNoCredential }
	return []route.Route{
		{Method: "POST", Pattern: "/things", Name: "things.insert", Handle: insert},
		{Method: "GET", Pattern: "/things/{token}", Name: "things.get", Handle: get},
		{Method: "PUT", Pattern: "/things", Name: "things.put", Handle: refuse},
	}
}

// filler is text without an end.
type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func ask(t *testing.T, m http.Handler, method, path, body string) {
	t.Helper()
	s := httptest.NewServer(m)
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
}

func TestJournal(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	m := build(t, recordedRoutes(), func(o *route.Options) {
		o.Journal = j
		o.Explain = func(h map[string][]string) string { return "sent by " + h["User-Agent"][0] }
	}).mux
	ask(t, m, "POST", "/things", `{"title":"off"}`)
	if j.Count() != 0 {
		t.Fatalf("a journal that is off keeps %d", j.Count())
	}
	j.SetMode(journal.Full)
	ask(t, m, "POST", "/things?n=1", `{"title":"x","more":"y"}`)
	ask(t, m, "GET", "/things/hidden", "")
	ask(t, m, "PUT", "/things", `{"title":"refused"}`)
	ask(t, m, "GET", "/thing/1", "")

	r := j.Get(1)
	if r.Operation != "things.insert" || r.Reason() != "" || r.Status != 201 || r.Query() != "n=1" ||
		r.RequestBody() != `{"title":"x","more":"y"}` || !strings.Contains(r.ResponseBody(), `"x"`) ||
		strings.Join(r.Unread(), " ") != "/more" || len(r.Caused) != 1 ||
		r.RequestCut || r.ResponseCut {
		t.Errorf("insert: %+v", r)
	}
	r = j.Get(2)
	if r.Path() != "/things/{token}" || len(r.ResponseBody()) != 64<<10 || !r.ResponseCut {
		t.Errorf("get: %s, %d bytes, cut %v", r.Path(), len(r.ResponseBody()), r.ResponseCut)
	}
	r = j.Get(3)
	if r.Status != 401 || !strings.HasSuffix(r.Reason(), "; sent by Go-http-client/1.1") || r.RequestBody() != `{"title":"refused"}` || r.RequestCut {
		t.Errorf("refused: %d %s %q", r.Status, r.Reason(), r.RequestBody())
	}
	r = j.Get(4)
	want := "the nearest path that exists is GET /things/{token}"
	if r.Status != 404 || !strings.Contains(r.Reason(), want) {
		t.Errorf("unknown: %d %s, want %s", r.Status, r.Reason(), want)
	}
}

func TestSlot(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	m := build(t, recordedRoutes(), func(o *route.Options) { o.Journal = j }).mux
	slot := journal.NewSlot(context.Background())
	r := httptest.NewRequestWithContext(slot, "POST", "/things", strings.NewReader(`{"title":"x"}`))
	m.ServeHTTP(httptest.NewRecorder(), r)
	if slot.Record() == nil || slot.Record() != j.Get(1) {
		t.Errorf("the slot has %v", slot.Record())
	}
}
