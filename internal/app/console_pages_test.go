package app_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/resource"
)

// reader is a browser that is signed in.
type reader struct {
	t      *testing.T
	base   string
	client *http.Client
}

func signInWith(t *testing.T, a *app.App, name, password string) *reader {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &reader{t: t, base: a.URL(), client: &http.Client{Jar: jar}}
	if status, text := b.post("/console/sign-in", url.Values{"name": {name}, "password": {password}}); status != 200 ||
		!strings.Contains(text, "Sign out") {
		t.Fatalf("sign in: %d %.300s", status, text)
	}
	return b
}

func (b *reader) get(path string) (int, string) {
	b.t.Helper()
	return b.do(http.MethodGet, path, "")
}

func (b *reader) post(path string, form url.Values) (int, string) {
	b.t.Helper()
	return b.do(http.MethodPost, path, form.Encode())
}

func (b *reader) do(method, path, body string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

var (
	linkOf  = regexp.MustCompile(`<th scope="row"><a href="([^"]+)"`)
	tokenOf = regexp.MustCompile(`name="form" value="([^"]+)"`)
)

// TestConsoleShowsEveryResource opens the list, the first thing and every form of
// every resource at the top of every module.
func TestConsoleShowsEveryResource(t *testing.T) {
	c := config(t)
	a := start(t, c, true)
	env, err := demo.ReadEnv(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	b := signInWith(t, a, env["STOA_USER"], env["STOA_PASSWORD"])
	for _, m := range a.Modules() {
		for _, r := range m.Resources {
			if r.In == "" {
				t.Run(m.Name+" "+r.Name, func(t *testing.T) {
					b.t = t
					b.look("/console/data/"+m.Name+"/"+r.Name, r)
				})
			}
		}
	}
	b.t = t
	t.Run("a thing is made, changed and deleted", func(t *testing.T) { b.changeTasks(t) })
	t.Run("a graph goes on the dashboard that there is", func(t *testing.T) { b.keepGraphs(t) })
	t.Run("others see no page of administrators", func(t *testing.T) {
		_, err := a.RunCommand(t.Context(), "user add", map[string][]string{
			"name": {"mary"}, "password": {"a long enough one"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		mary := signInWith(t, a, "mary", "a long enough one")
		for _, path := range []string{
			"/console/requests", "/console/data/administration", "/console/data/administration/users",
			"/console/data/kms/keys", "/console/administration/settings", "/console/lab", "/console/lab/clock",
		} {
			if status, text := mary.get(path); status != http.StatusNotFound {
				t.Errorf("%s: %d %.200s", path, status, text)
			}
		}
		if status, _ := mary.get("/console/data/tasks/lists"); status != http.StatusOK {
			t.Errorf("her own lists: %d", status)
		}
	})
	t.Run("the page of what is gone says so", func(t *testing.T) {
		for path, want := range map[string]string{
			"/console/data/administration/deliveries/item?id=gone": "deleted after 30 days.",
			"/console/data/administration/jobs/item?id=7":          "not kept, and a dead one is deleted after 30 days.",
		} {
			if status, text := b.get(path); status != http.StatusNotFound || !strings.Contains(text, want) {
				t.Errorf("%s: %d, want 404 and %q in %.2000s", path, status, want, text)
			}
		}
	})
	t.Run("a world without a lab has no pages of one", func(t *testing.T) {
		if status, _ := b.get("/console/lab"); status != http.StatusNotFound {
			t.Errorf("%d, want 404", status)
		}
	})
}

func (b *reader) look(base string, r resource.Resource) {
	b.t.Helper()
	status, text := b.get(base)
	if status != http.StatusOK || !strings.Contains(text, html.EscapeString(r.Title)) {
		b.t.Fatalf("%d %.500s", status, text)
	}
	for _, action := range r.Actions {
		if action.One {
			continue
		}
		if status, text := b.get(base + "/do/" + action.Name); status != http.StatusOK {
			b.t.Errorf("%s: %d %.300s", action.Name, status, text)
		}
	}
	first := linkOf.FindStringSubmatch(text)
	if first == nil {
		return
	}
	item := html.UnescapeString(first[1])
	if status, text := b.get(item); status != http.StatusOK {
		b.t.Errorf("%s: %d %.300s", item, status, text)
	}
	for _, action := range r.Actions {
		if !action.One {
			continue
		}
		form := strings.Replace(item, "/item?", "/do/"+action.Name+"?", 1)
		if status, text := b.get(form); status != http.StatusOK {
			b.t.Errorf("%s: %d %.300s", form, status, text)
		}
	}
}

// keepGraphs puts a graph on a new dashboard, and others on it without choosing it.
func (b *reader) keepGraphs(t *testing.T) {
	const query = "avg:system.cpu.user{*}"
	address := "/console/graphs?query=" + url.QueryEscape(query)
	_, page := b.get(address)
	keep := func(title, dashboard string) string {
		t.Helper()
		status, text := b.post("/console/graphs", url.Values{
			"form": {tokenOf.FindStringSubmatch(page)[1]}, "query": {query}, "span": {"1d"},
			"new": {title}, "dashboard": {dashboard},
		})
		id := regexp.MustCompile(`/console/dashboards/([^/"]+)/`).FindStringSubmatch(text)
		if status != http.StatusOK || id == nil {
			t.Fatalf("%d %.2000s", status, text)
		}
		return id[1]
	}
	first := keep("First", "")
	second := keep("Second", first)
	if _, page = b.get(address); !strings.Contains(page, `name="new" placeholder=`) || strings.Contains(page, `value="">a new one`) {
		t.Errorf("a new dashboard is chosen where there is one:\n%s", page)
	}
	_, page = b.get("/console/dashboards/" + second)
	if want := `href="/console/graphs?dashboard=` + second + `"`; !strings.Contains(page, want) {
		t.Errorf("the dashboard lacks %s", want)
	}
	_, page = b.get(address + "&dashboard=" + second)
	if want := `<option value="` + second + `" selected>Second`; !strings.Contains(page, want) {
		t.Errorf("the form lacks %s:\n%s", want, page)
	}
	if id := keep("", second); id != second || first == second {
		t.Errorf("kept on %s, want %s, which is not %s", id, second, first)
	}
}

// changeTasks does through forms what the API does.
func (b *reader) changeTasks(t *testing.T) {
	const lists = "/console/data/tasks/lists"
	_, page := b.get(lists + "/do/add")
	token := tokenOf.FindStringSubmatch(page)[1]
	send := func(path string, want int, words string, pairs ...string) string {
		t.Helper()
		form := url.Values{"form": {token}}
		for i := 0; i < len(pairs); i += 2 {
			form.Set("f:"+pairs[i], pairs[i+1])
		}
		status, text := b.post(path, form)
		if status != want || !strings.Contains(text, words) {
			t.Fatalf("%s: %d, want %d with %q:\n%.2000s", path, status, want, words, text)
		}
		return text
	}
	send(lists+"/do/add", http.StatusBadRequest, "Title is needed.")
	made := send(lists+"/do/add", http.StatusOK, "Spring &amp; summer", "title", "Spring & summer")
	id := regexp.MustCompile(`lists/item\?tasklist=([^"&]+)`).FindStringSubmatch(made)
	if id == nil {
		id = regexp.MustCompile(`tasklist=([^"&]+)`).FindStringSubmatch(made)
	}
	query := "?tasklist=" + id[1]
	send(lists+"/do/edit"+query, http.StatusOK, "Autumn", "title", "Autumn")
	send("/console/data/tasks/tasks/do/add"+query, http.StatusOK, "“Add a task” is done.", "title", "Rake")
	send(lists+"/do/delete"+query, http.StatusOK, "“Delete” is done.")
	if status, text := b.get(lists + "/item" + query); status != http.StatusNotFound {
		t.Errorf("the deleted list: %d %.300s", status, text)
	}
	if status, _ := b.post(lists+"/do/add", url.Values{"f:title": {"without a token"}}); status != http.StatusForbidden {
		t.Errorf("a form without its token: %d, want 403", status)
	}
}

// TestOldDeliveriesHavePages: the page of a delivery is found by its id, however many are newer.
func TestOldDeliveriesHavePages(t *testing.T) {
	c := config(t)
	a := start(t, c, true)
	err := a.World().DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		for n := range 3000 {
			_, err := tx.Exec(ctx, `
				INSERT INTO deliver_messages (id, service, channel, address, request, state, attempts, status, duration_us,
					last_error, created, resend_of, owner)
				VALUES ($1, 'calendar', 'c', 'https://hooks.test/', $2, 'failed', 1, 500, 0, '', $3, '', '')`,
				fmt.Sprintf("old-%04d", n), []byte("sealed"), database.Time(time.Unix(int64(1e9+n), 0)))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	env, err := demo.ReadEnv(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	b := signInWith(t, a, env["STOA_USER"], env["STOA_PASSWORD"])
	for _, id := range []string{"old-0000", "old-2999"} {
		status, text := b.get("/console/data/administration/deliveries/item?id=" + id)
		if status != http.StatusOK || !strings.Contains(text, "https://hooks.test/") {
			t.Errorf("%s: %d %.900s", id, status, text)
		}
	}
}
