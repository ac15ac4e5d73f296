package browser_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	labserver "stoa.dev/stoa/internal/lab/server"
)

// worldAt is a world of a lab as the helpers of a served one know it.
func worldAt(t *testing.T, w *lab.World) *server {
	t.Helper()
	env, err := w.Env()
	if err != nil {
		t.Fatal(err)
	}
	return &server{t: t, url: w.PrefixURL(), env: env}
}

// TestLabWorlds signs one browser in to two worlds below prefixes of one port, and
// connects a device in the first while it is signed in to the second.
func TestLabWorlds(t *testing.T) {
	t.Parallel()
	s, err := labserver.Open(t.Context(), labserver.Options{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", Config: app.DefaultConfig(), Version: "test", NoDefault: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var worlds []*server
	var held []*lab.World
	for _, name := range []string{"one", "two"} {
		w, err := s.Lab().Create(t.Context(), lab.NewWorld{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		worlds, held = append(worlds, worldAt(t, w)), append(held, w)
	}
	b := worlds[0].newTab(t, screens()[1])
	for _, w := range worlds {
		b.url = w.url
		b.open("/console/sign-in?next=/console")
		w.signIn(b)
		b.wantText("Recent requests", w.url)
		b.checkPage("lab-home", 1, 1)
	}
	for _, size := range screens() {
		t.Run("pages on a "+size.name, func(t *testing.T) { holdLab(t, worlds[1], size) })
		t.Run("watch with an inbox on a "+size.name, func(t *testing.T) { watchWithInbox(t, worlds[1], size) })
		t.Run("retry a dead job on a "+size.name, func(t *testing.T) { retryDeadJob(t, held[1], worlds[1], size) })
	}
	if *full {
		for _, size := range screens() {
			t.Run("a new user on a "+size.name, func(t *testing.T) { newUser(t, worlds[1], size) })
		}
	}
	b.url = worlds[0].url
	approved, code := worlds[0].device()
	b.open("/device?" + url.Values{"user_code": {code}}.Encode())
	b.press("main button")
	b.wantText("Authorize")
	b.press(`button[value="allow"]`)
	if status, object := worlds[0].poll(approved); status != 200 {
		t.Errorf("poll: %d %v", status, object)
	}
	b.open("/docs/reference/tasks")
	b.checkPage("lab-reference", 3, 2)
	if at := evaluate[string](b, "base"); at != worlds[0].url {
		t.Errorf("the page takes %s for the world's address, want %s", at, worlds[0].url)
	}
}

// holdLab walks the pages of the lab and does what they are for: stop the clock, break
// the third call, move a month, receive a message.
func holdLab(t *testing.T, w *server, size screen) {
	here := w.forTest(t)
	b := w.newTab(t, size)
	b.admin, b.below = true, "/console/lab"
	b.open("/console/sign-in?next=/console/lab")
	here.signIn(b)
	if visited := b.walk(labRoutePages(), func(name string) { b.checkConsolePage("lab-" + name) }); len(visited) < 5 {
		t.Errorf("%d pages of the lab, want 5: %q", len(visited), visited)
	}
	b.open("/console/lab/faults")
	b.offered(`1 choose a service first`)
	b.do("choose a service", chromedp.SendKeys(chromedp.ID("x-service"), "device"))
	b.offered(`authorization_pending`)
	b.open("/console/lab/faults")
	b.do("choose", chromedp.SendKeys(chromedp.ID("x-operation"), "tasklists.list"),
		chromedp.SendKeys(chromedp.ID("x-when"), "only the nth"), chromedp.SendKeys(chromedp.ID("x-deed"), "a status"),
		chromedp.SendKeys(chromedp.ID("x-value"), "503"))
	b.fill("x-count", "3")
	b.press(`form[action$="/lab/add-fault"] button`)
	b.wantText("The rule is added.", "tasklists.list")
	b.checkConsolePage("lab-faults-rule")
	for _, want := range []string{"Task lists", "Task lists", "The service refused the request with status 503."} {
		b.open("/console/data/tasks/lists")
		b.wantText(want)
	}
	b.open("/console/lab/faults")
	b.press(`form[action$="/lab/clear-faults"] button`)
	b.open("/console/lab/inbox")
	b.fill("i-name", "hook-"+size.name)
	b.press(`form[action$="/lab/add-inbox"] button`)
	b.wantText("The inbox is made.", "/inbox/hook-"+size.name)
	b.checkConsolePage("lab-inbox-made")
	b.open("/console/lab/clock")
	b.press(`button[value="30d"]`)
	b.wantText("things ran")
	b.checkConsolePage("lab-clock-moved")
	b.open("/console/requests?console=yes")
	b.wantText("Requests", "503")
	b.press(".log a")
	b.wantText("Copy as curl", "Send again", "Answer")
	b.checkConsolePage("lab-request")
}

// offered: the failures of the form of a rule, after their number, contain these words, and are few.
func (b *tab) offered(want string) {
	b.t.Helper()
	const names = `(list => list.length + " " + list.map(o => o.text).join(" "))([...document.getElementById("x-fault").options])`
	got, err := tryEvaluate[string](b, names)
	if err != nil {
		b.t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscan(got, &n); err != nil || n > 60 || !strings.Contains(got, want) {
		b.t.Errorf("%q is offered, want %q and at most 60: %v", got, want, err)
	}
}
