package apifamily_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type thing struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// ask runs one operation that answers a thing; ran reports whether it was reached.
func ask(method, query string, headers ...string) (w *httptest.ResponseRecorder, ran bool, err error) {
	table := apifamily.Routes([]route.Route{{
		Name: "things.get", Tags: map[string]string{apifamily.AltTag: "media"},
		Handle: func(w http.ResponseWriter, r *route.Request) error {
			ran = true
			return wire.WriteJSON(w, r.Request, http.StatusOK, thing{"a", 1 << 53})
		},
	}}, map[string]any{"things.get": thing{}})
	r := &route.Request{Request: httptest.NewRequest(method, "/thing?"+query, nil)}
	for _, h := range headers {
		r.Header.Set("Accept-Encoding", h)
	}
	w = httptest.NewRecorder()
	err = table[0].Handle(w, r)
	return w, ran, err
}

func TestForms(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                       `{"name":"a","size":9007199254740992}`,
		"fields=size":            `{"size":9007199254740992}`,
		"fields=*&alt=json":      `{"name":"a","size":9007199254740992}`,
		"alt=media&fields=name":  `{"name":"a"}`,
		"prettyPrint=true":       "{\n  \"name\": \"a\",\n  \"size\": 9007199254740992\n}",
		"prettyPrint=false&x=yz": `{"name":"a","size":9007199254740992}`,
	} {
		w, _, err := ask("GET", query, "gzip")
		if err != nil || w.Body.String() != want {
			t.Errorf("%s: %v %s, want %s", query, err, w.Body, want)
		}
	}
	w, _, err := ask("HEAD", "fields=name")
	if err != nil || w.Body.Len() > 0 || w.Header().Get("Content-Length") != "12" {
		t.Errorf("HEAD: %v %q %v", err, w.Body, w.Header())
	}
}

// TestRefusedFirst: what cannot be read is refused before the operation runs.
func TestRefusedFirst(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"fields=no", "fields=name/x", "fields=a(", "alt=xml", "prettyPrint=7", "callback=f"} {
		_, ran, err := ask("POST", query)
		if ran || !errors.As(err, new(*fault.ParameterError)) {
			t.Errorf("%s: ran %t, %v", query, ran, err)
		}
	}
}
