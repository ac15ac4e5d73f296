package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// userTasks does, in a browser alone, what a new user comes for. Each is done by its
// own name in its own tab.
func (s *server) userTasks(t *testing.T) {
	for name, task := range map[string]func(*server, *tab){
		"write an article and look at it first": (*server).writeArticle,
		"undo what was deleted":                 (*server).undoDelete,
		"import users":                          (*server).importUsers,
		"draw a graph and keep it":              (*server).keepGraph,
		"write an article with a picture":       (*server).articleWithPicture,
		"see who did what":                      (*server).auditTrail,
		"look at backups and settings":          (*server).backupAndSettings,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := s.newTab(t, screens()[1])
			b.admin = true
			b.open("/console/sign-in?next=/console")
			here := s.forTest(t)
			here.signIn(b)
			task(here, b)
		})
	}
}

// writeArticle previews a text with a picture, and publishes it.
func (s *server) writeArticle(b *tab) {
	b.open("/console/data/articles/articles")
	b.press(`a[href$="/do/add"]`)
	b.fill("field-title", "Shade at noon")
	b.fill("field-body", "The *north* side is cool.\n\n![A column](/console/icon.svg)\n\n```go\nfunc shade() {}\n```\n")
	b.press(`button[name=console_preview]`)
	if got := evaluate[string](b, `document.querySelector("#preview em").textContent`); got != "north" {
		b.t.Errorf("the preview stresses %q", got)
	}
	b.until("the picture", `document.querySelector("#preview img").naturalWidth > 0`)
	b.checkConsolePage("article-preview")
	b.fill("field-tags", "shade")
	b.press(`.form .actions button:first-child`)
	b.wantText("The article is written.", "Shade at noon")
}

// undoDelete deletes a task and brings it back.
func (s *server) undoDelete(b *tab) {
	b.open("/console/data/tasks/lists")
	b.press(`table.data tbody th a`)
	b.press(`.switch a[href*="/tasks/tasks"]`)
	b.press(`a[href*="/do/add"]`)
	b.fill("field-title", "Sweep the steps")
	b.press(`.form .actions button`)
	b.wantText("Sweep the steps")
	b.press(`a[href*="/do/delete"]`)
	b.wantText("Delete", "Sweep the steps")
	b.press(`.form .actions button`)
	b.wantText("Deleted", "Sweep the steps", "It can be brought back.")
	b.checkConsolePage("deleted")
	b.press(`.form .actions button`)
	b.wantText("“Restore” is done.", "Sweep the steps")
}

// keepGraph draws a query, puts it on a dashboard with a second one, and takes one off.
func (s *server) keepGraph(b *tab) {
	drawn := `[...document.querySelectorAll("img.picture")].every(i => i.complete && i.naturalWidth > 0)`
	b.open("/console/dashboards")
	b.wantText("You have no dashboard yet.")
	b.press(`.head a[href="/console/graphs"]`)
	b.fill("g-title", "Processors")
	b.press(`.filters button`)
	b.until("the picture", drawn+` && document.images.length === 1`)
	b.checkConsolePage("graph-drawn")
	b.fill("g-new", "Hosts")
	b.press(`form[action="/console/graphs"][method=post] button`)
	b.wantText("Hosts", "Processors")
	b.open("/console/graphs")
	b.fill("g-query", "avg:system.mem.used{*}")
	b.press(`.filters button`)
	b.do("choose the dashboard", chromedp.SendKeys(chromedp.ID("g-dashboard"), "Hosts"))
	b.press(`form[action="/console/graphs"][method=post] button`)
	b.wantText("Hosts", "Processors", "avg:system.mem.used{*}")
	b.until("both pictures", drawn+` && document.images.length === 2`)
	b.checkConsolePage("dashboard")
	b.press(`button[aria-label="Remove Processors"]`)
	if n := evaluate[int](b, `document.images.length`); n != 1 {
		b.t.Errorf("%d graphs are left, want 1", n)
	}
	b.open("/console/graphs?query=nonsense")
	b.wantText("query")
	if !evaluate[bool](b, `document.querySelector("main .problem") !== null`) {
		b.t.Errorf("a wrong query has no reason:\n%s", b.text())
	}
	b.open("/console/administration/metrics")
	b.wantText("Server metrics", "Requests per second")
	b.until("all pictures", drawn)
	b.checkConsolePage("server-metrics")
}

// importUsers adds users of a pasted list, and finds one of them.
func (s *server) importUsers(b *tab) {
	b.open("/console/data/administration/users")
	b.press(`a[href$="/do/import"]`)
	b.checkConsolePage("import-users")
	b.fill("field-file", "name,shoe\nzeno,9\n")
	b.press(`.form .actions button`)
	b.wantText("The column \"shoe\" is not one of")
	b.fill("field-file", "name,email\nzeno,zeno@example.com\nchrysippus,\n")
	b.press(`.form .actions button`)
	b.wantText("Added", "zeno", "chrysippus")
	b.checkConsolePage("imported-users")
	b.open("/console/data/administration/users/item?name=zeno")
	b.wantText("zeno@example.com")
}
