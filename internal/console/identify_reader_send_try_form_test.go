package console_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/world"
)

// openEcho is a console with a service that says who asked for what.
func openEcho(t *testing.T) *testServer {
	t.Helper()
	h := &testServer{t: t, from: "127.0.0.1:1"}
	h.Server = identitytest.SQLite(t, func(w *world.World, i *identity.Identity) module.Module {
		echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // a recorder's body has no error
			found, _ := credential.Inside()(r)
			c, err := i.Verify(r.Context(), found.Value, identity.Requirement{Service: "echo", Kinds: identity.TokenKinds()})
			if err != nil {
				http.Error(w, err.Error(), http.StatusUnauthorized)
				return
			}
			w.Header().Set("X-Request-Id", "r1")
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintln(w, c.UserName, r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("X-Own"),
				r.Header.Get("Cookie"), string(body))
		})
		services := []module.Module{{Name: "echo", Title: "Echo", Handler: echo}, {Name: "mute", Title: "Mute"}}
		i.Register(services...)
		return console.New(w, i, grants.New(w, i), console.DefaultConfig(), services).Module()
	})
	h.User("ada")
	return h
}

// TestTryOperation: a form of the reference is sent as the reader, and only with the token of the session's forms.
func TestTryOperation(t *testing.T) {
	t.Parallel()
	h := openEcho(t)
	var session struct{ User, Form string }
	ask := func() *httptest.ResponseRecorder {
		t.Helper()
		w := h.send("GET", "/console/try", nil)
		session.User, session.Form = "", ""
		if err := json.Unmarshal(w.Body.Bytes(), &session); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return w
	}
	if ask(); session.User != "" || session.Form != "" {
		t.Errorf("an anonymous reader is %+v", session)
	}
	h.signIn("ada")
	if w := ask(); session.User != "ada" || session.Form != h.form() || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("a signed-in reader is %+v, %v", session, w.Header())
	}
	sent := func(changes ...string) url.Values {
		form := url.Values{
			"form": {session.Form}, "method": {"PUT"}, "target": {"/v1/things/a%2Fb?x=1"}, "kind": {"application/json"},
			"body": {`{"a":1}`}, "headers": {"X-Own: yes\nCookie: no\n"},
		}
		for i := 0; i < len(changes); i += 2 {
			form.Set(changes[i], changes[i+1])
		}
		return form
	}
	w := h.send("POST", "/console/try/echo", sent())
	var got struct {
		Status int
		Header map[string]string
		Text   string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	const want = `ada PUT /v1/things/a%2Fb?x=1 application/json yes  {"a":1}`
	if got.Status != 201 || strings.TrimSpace(got.Text) != want || got.Header["X-Request-Id"] != "r1" {
		t.Errorf("answer %+v, want 201 %s", got, want)
	}
	for name, row := range map[string]struct {
		path    string
		form    url.Values
		headers []string
		want    int
	}{
		"without the token":     {"echo", sent("form", ""), nil, 403},
		"from another site":     {"echo", sent(), []string{"Sec-Fetch-Site: cross-site"}, 403},
		"no such service":       {"other", sent(), nil, 404},
		"one without addresses": {"mute", sent(), nil, 404},
		"another server":        {"echo", sent("target", "https://evil.example/"), nil, 400},
		"no method":             {"echo", sent("method", "GET it"), nil, 400},
	} {
		if w := h.send("POST", "/console/try/"+row.path, row.form, row.headers...); w.Code != row.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, row.want)
		}
	}
	h.cookie = ""
	if w := h.send("POST", "/console/try/echo", sent()); w.Code != http.StatusUnauthorized {
		t.Errorf("without a session: %d, want 401", w.Code)
	}
}
