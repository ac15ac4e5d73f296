package browser_test

import (
	"encoding/json"
	"net/http"
	"testing"
)

// newUser does what users come for, beginning on the front page and led by the texts of
// links and buttons alone: no address is typed. The job that has died is a test of its
// own (retryDeadJob), as it takes days to die.
func newUser(t *testing.T, w *server, size screen) {
	for name, act := range map[string]func(*server, *tab){
		"find why a request was refused, and break the third call": (*server).findRefusal,
		"watch a calendar with an inbox":                           (*server).findWatch,
		"approve a device":                                         (*server).findDevice,
		"write an article with a picture":                          (*server).findArticle,
		"start a build and watch it":                               (*server).findBuild,
		"draw a graph and put it on a dashboard":                   (*server).findGraph,
		"import users":                                             (*server).findImport,
		"see a heat map, a graph of packages and a chat":           (*server).findDrawings,
	} {
		t.Run(name, func(t *testing.T) {
			here := w.forTest(t)
			b := w.newTab(t, size)
			b.admin = true
			b.open("/")
			b.follow("Sign in")
			here.signIn(b)
			b.wantText("13 services")
			act(here, b)
		})
	}
	// Last: sessions of the others end with the month.
	t.Run("advance a month", func(t *testing.T) {
		b := w.newTab(t, size)
		b.open("/")
		b.follow("Sign in")
		w.forTest(t).signIn(b)
		b.follow("Clock")
		b.follow("30 days")
		b.wantText("things ran")
	})
}

// follow presses the link or button that a person reads the text on. On a phone the menu
// is opened first where it is needed.
func (b *tab) follow(text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		b.t.Fatal(err)
	}
	find := `(() => {
		const all = [...document.querySelectorAll("main a, main button, a, button")];
		const e = all.find(e => e.offsetParent !== null && e.innerText.trim().split("\n")[0].trim() === ` + string(quoted) + `);
		e?.setAttribute("data-follow", "");
		return e !== undefined;
	})()`
	if !evaluate[bool](b, find) {
		if b.screen.mobile {
			b.do("open the menu", clickID(".to-menu"))
		}
		if !b.screen.mobile || !evaluate[bool](b, find) {
			b.t.Fatalf("nothing on the page says %q:\n%s", text, b.text())
		}
	}
	b.press("[data-follow]")
}

// unfold opens a group of the menu.
func (b *tab) unfold(group string) {
	b.t.Helper()
	if b.screen.mobile {
		b.do("open the menu", clickID(".to-menu"))
	}
	if !evaluate[bool](b, `(() => {
		const e = [...document.querySelectorAll("nav.side summary")].find(e => e.textContent.trim() === "`+group+`");
		e?.click();
		return e !== undefined;
	})()`) {
		b.t.Fatalf("the menu has no group %q:\n%s", group, b.text())
	}
}

// choose selects an option by its value.
func (b *tab) choose(field, value string) {
	b.t.Helper()
	evaluate[string](b, `document.getElementById("`+field+`").value = "`+value+`"`)
}

func (s *server) findRefusal(b *tab) {
	answer, err := http.Get(s.url + "/tasks/v1/users/@me/lists")
	if err != nil {
		b.t.Fatal(err)
	}
	_ = answer.Body.Close() // the page is what matters
	b.follow("Requests")
	b.press(".log a:has(.refused)")
	b.wantText("a credential is required", "anonymous", "tasklists.list")
	b.follow("Break calls like this")
	b.choose("x-when", "nth")
	b.choose("x-deed", "status")
	b.fill("x-count", "3")
	b.fill("x-value", "503")
	b.follow("Add")
	b.wantText("The rule is added.", "tasklists.list")
	for _, want := range []string{"Task lists", "Task lists", "status 503"} {
		b.follow("Task lists")
		b.wantText(want)
	}
	b.follow("Faults")
	b.follow("Remove all")
	b.wantText("All rules are gone.")
}

func (s *server) findWatch(b *tab) {
	b.follow("Inbox")
	b.fill("i-name", "found-"+b.screen.name)
	b.follow("Make")
	inbox := evaluate[string](b, `document.body.innerText.match(/https?:\/\/\S+\/inbox\/found-`+b.screen.name+`/)[0]`)
	b.follow("Calendars and change notifications")
	b.follow("Calendars")
	b.follow("Add a calendar")
	b.fill("field-summary", "Trips")
	b.follow("Add a calendar")
	b.follow("Watch")
	b.fill("field-address", inbox)
	b.follow("Watch")
	b.follow("Done")
	b.follow("Events")
	b.follow("Add an event")
	b.fill("field-summary", "Sail")
	b.follow("Add an event")
	b.wantText("“Add an event” is done.", "Sail")
	b.follow("Clock")
	b.follow("1 hour")
	b.follow("Inbox")
	b.wantText("POST", "answered 200")
}

func (s *server) findDevice(b *tab) {
	device, code := s.device()
	b.unfold("Account")
	b.follow("Connect a device")
	b.fill("user_code", code)
	b.follow("Continue")
	b.press(`button[value="allow"]`)
	b.wantText("Device connected")
	if status, object := s.poll(device); status != http.StatusOK {
		b.t.Errorf("poll: %d %v", status, object)
	}
}

func (s *server) findArticle(b *tab) {
	b.follow("Articles")
	b.follow("Your articles")
	b.follow("Write an article")
	b.fill("field-title", "Shade")
	b.fill("field-body", "It moves.")
	b.choosePicture("field-body-picture")
	b.follow("Insert picture")
	b.until("the picture", `document.querySelector("#preview img").naturalWidth === 1`)
	b.fill("field-tags", "shade")
	b.follow("Write an article")
	b.wantText("The article is written.", "Shade")
}

func (s *server) findBuild(b *tab) {
	b.follow("Pipelines")
	b.follow("Projects")
	b.follow("colonnade")
	b.follow("Build now")
	b.follow("Build now")
	b.wantText("Builds", "main")
	b.checkConsolePage("builds-begun")
	b.press("table.data tbody th a")
	b.wantText("Status", "Run again")
}

func (s *server) findGraph(b *tab) {
	b.follow("Dashboards")
	b.follow("Explore metrics")
	b.fill("g-title", "Processors")
	b.follow("Draw")
	b.until("the picture", `document.images.length === 1 && document.images[0].naturalWidth > 0`)
	b.fill("g-new", "Hosts on a "+b.screen.name)
	b.press(`form[action$="/console/graphs"][method=post] button`)
	b.wantText("Hosts on a "+b.screen.name, "Processors")
}

func (s *server) findImport(b *tab) {
	b.unfold("Administration")
	b.follow("Users")
	b.follow("Import users")
	b.fill("field-file", "name,email\nzeno-"+b.screen.name+",zeno-"+b.screen.name+"@example.com\n")
	b.follow("Import users")
	b.wantText("Added", "zeno-"+b.screen.name)
	b.follow("Done")
	b.wantText("zeno-" + b.screen.name)
}

func (s *server) findDrawings(b *tab) {
	b.follow("Analytics")
	b.follow("Map campaigns")
	b.press("table.data tbody th a")
	b.follow("Reports")
	b.press("table.data tbody th a")
	b.follow("Keywords")
	b.press("table.data tbody th a")
	b.follow("Heat map")
	if n := evaluate[int](b, `document.querySelectorAll(".drawing circle").length`); n != 49 {
		b.t.Errorf("%d points are drawn, want 49", n)
	}
	b.checkConsolePage("heat-map")
	b.follow("Package insights")
	b.follow("Packages")
	b.fill("field-name", "@stoa/colonnade")
	b.follow("Show")
	b.press("table.data tbody th a")
	b.follow("Dependencies")
	b.wantText("1 requirement", "Advisories", "@stoa/column")
	b.checkConsolePage("package-graph")
	b.follow("Generative content")
	b.follow("Models")
	b.press("table.data tbody th a")
	b.follow("Chat")
	for _, message := range []string{"Hello", "And now <b>this</b>"} {
		b.fill("field-message", message)
		b.follow("Send")
	}
	b.wantText("Hello", "And now <b>this</b>", "tokens")
	b.checkConsolePage("chat")
}
