package app_test

import (
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// TestDescriptions: every API of the family describes all its operations, and every
// reference in a description leads somewhere.
func TestDescriptions(t *testing.T) {
	c := config(t)
	c.BaseURL = "http://127.0.0.1:1"
	a, err := app.New(t.Context(), app.Options{
		Config: c, Clock: clock.NewVirtual(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), IDs: ids.Seeded(1), NoHTTP: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	get := func(path string, into any) {
		t.Helper()
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if err := json.Unmarshal(w.Body.Bytes(), into); w.Code != 200 || err != nil {
			t.Fatalf("%s: %d %v %.200s", path, w.Code, err, w.Body)
		}
	}
	var list struct {
		Items []struct{ DiscoveryRestURL string }
	}
	get("/discovery/v1/apis", &list)
	described := map[string]int{}
	for _, item := range list.Items {
		var d struct {
			Name      string
			BatchPath string
			Schemas   map[string]json.RawMessage
			Resources map[string]struct{ Methods map[string]json.RawMessage }
		}
		get(strings.TrimPrefix(item.DiscoveryRestURL, c.BaseURL), &d)
		all, _ := json.Marshal(d)
		for _, ref := range strings.Split(string(all), `"$ref":"`)[1:] {
			name, _, _ := strings.Cut(ref, `"`)
			if d.Schemas[name] == nil {
				t.Errorf("%s: no schema %s", d.Name, name)
			}
		}
		for _, r := range d.Resources {
			described[d.Name] += len(r.Methods)
		}
	}
	for _, m := range a.Modules() {
		if m.API != nil && described[m.API.Name] != len(m.Routes) {
			t.Errorf("%s: %d operations described, %d in the table", m.Name, described[m.API.Name], len(m.Routes))
		}
	}
	if len(described) != 3 {
		t.Errorf("described: %v, want three APIs", described)
	}
}

// TestBatchesAreCharged: the memory of a batch is taken from the caller whose credential was verified. A credential
// that is only claimed, and one in a part, leave the batch with the network that it came from.
func TestBatchesAreCharged(t *testing.T) {
	const network = "192.0.2.1" // of requests that httptest makes
	memory := budget.New(budget.Options{Total: 64 << 20, PerOwner: 32 << 20, Anonymous: 32 << 20})
	a, err := app.New(t.Context(), app.Options{Config: config(t), LogTo: io.Discard, Memory: memory, NoHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	if err := a.SeedDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	issue := func(service string) string {
		made, err := a.RunCommand(t.Context(), "token issue", map[string][]string{
			"user": {"ada"}, "service": {service},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return field(t, made, "token")
	}
	token, foreign := issue("tasks"), issue("articles")
	ask := func(outer, part string) int {
		body := "--b\r\nContent-Type: application/http\r\n\r\nGET /tasks/v1/users/@me/lists HTTP/1.1\r\n" +
			"Authorization: Bearer " + part + "\r\nX-Long: " + strings.Repeat("x", 16<<10) + "\r\n\r\n--b--\r\n"
		r := httptest.NewRequest("POST", "/batch", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/mixed; boundary=b")
		if outer != "" {
			r.Header.Set("Authorization", "Bearer "+outer)
		}
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		return w.Code
	}
	all, err := a.Identity().Verify(t.Context(), token, identity.Requirement{
		Service: "tasks", Kinds: identity.TokenKinds(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name              string
		full              budget.Owner
		own, claimed, non int
	}{
		{"the network has used up its share", budget.Address(network), 200, 429, 429},
		{"the caller has used up its share", budget.Caller(all.LimitKey()), 429, 200, 200},
	} {
		grant, err := memory.Take(t.Context(), row.full, 32<<20)
		if err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string][2]int{
			"a verified credential":  {ask(token, token), row.own},
			"a claimed credential":   {ask(token+"x", token), row.claimed},
			"one of another service": {ask(foreign, token), row.claimed},
			"a credential in a part": {ask("", token), row.non},
		} {
			if got[0] != got[1] {
				t.Errorf("%s: %s: %d, want %d", row.name, what, got[0], got[1])
			}
		}
		grant.Release()
	}
}
