package browser_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/faultrule"
)

// onePixel is a PNG of one pixel, as base64.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// choosePicture puts a picture into a field for files, as a person does by hand.
func (b *tab) choosePicture(field string) {
	b.t.Helper()
	evaluate[string](b, `(() => {
		const bytes = Uint8Array.from(atob("`+onePixel+`"), c => c.charCodeAt(0)), chosen = new DataTransfer();
		chosen.items.add(new File([bytes], "column.png", {type: "image/png"}));
		document.getElementById("`+field+`").files = chosen.files;
		return "";
	})()`)
}

// articleWithPicture chooses a picture, sees it in the preview and in the article.
func (s *server) articleWithPicture(b *tab) {
	b.open("/console/data/articles/articles/do/add")
	b.fill("field-title", "A column")
	b.fill("field-body", "It stands.")
	b.choosePicture("field-body-picture")
	b.press(`button[name=console_picture]`)
	if text := evaluate[string](b, `document.getElementById("field-body").value`); !strings.Contains(text, "It stands.\n\n![](") {
		b.t.Errorf("the text is %q", text)
	}
	b.until("the picture", `document.querySelector("#preview img").naturalWidth === 1`)
	b.checkConsolePage("article-picture")
	b.fill("field-tags", "columns")
	b.press(`.form .actions button:first-child`)
	b.wantText("The article is written.", "A column")
	address := evaluate[string](b, `[...document.querySelectorAll("dl.members a")].map(a => a.href).find(h => h.includes("/items/"))`)
	b.open(address)
	b.until("the picture", `[...document.querySelectorAll("article img, main img")].some(i => i.naturalWidth === 1)`)
}

// auditTrail adds and disables a user, and sees both on record.
func (s *server) auditTrail(b *tab) {
	b.open("/console/data/administration/users/do/add")
	b.fill("field-name", "diogenes")
	b.press(`.form .actions button`)
	b.wantText("diogenes")
	b.open("/console/data/administration/users/do/disable?name=diogenes")
	b.press(`.form .actions button`)
	b.open("/console/data/administration/audit?object=diogenes")
	b.wantText("Audit trail", "user.add", "user.disable", s.env["STOA_USER"], "session ")
	b.checkConsolePage("audit")
	b.fill("field-action", "user.disable")
	b.press(`.filters button`)
	b.wantText("user.disable")
	if strings.Contains(b.text(), "user.add\n") {
		b.t.Error("the filter shows another action")
	}
	b.press(`table.data tbody th a`)
	b.wantText("diogenes", "Network", "127.0.0.1")
	b.checkConsolePage("audit-entry")
}

// backupAndSettings looks at both pages.
func (s *server) backupAndSettings(b *tab) {
	b.open("/console/administration/backup")
	b.wantText("Download a backup", "stoa restore backup", "root key")
	b.checkConsolePage("backup")
	b.open("/console/administration/settings?text=listen")
	b.wantText("listen.http", "The address of the plain listener.", "flag")
	b.checkConsolePage("settings-filtered")
}

// watchWithInbox makes a calendar, watches it with an inbox, adds an event and sees the
// message.
func watchWithInbox(t *testing.T, w *server, size screen) {
	here := w.forTest(t)
	b := w.newTab(t, size)
	b.admin = true
	b.open("/console/sign-in?next=/console/lab/inbox")
	here.signIn(b)
	b.fill("i-name", "watch-"+size.name)
	b.press(`form[action$="/lab/add-inbox"] button`)
	b.wantText("The inbox is made.")
	inbox := evaluate[string](b, `document.body.innerText.match(/https?:\/\/\S+\/inbox\/watch-`+size.name+`/)[0]`)
	b.open("/console/data/calendar/calendars/do/add")
	b.fill("field-summary", "Repairs "+size.name)
	b.press(`.form .actions button`)
	b.wantText("Repairs " + size.name)
	b.press(`a[href*="/do/watch"]`)
	b.fill("field-id", "channel-"+size.name)
	b.fill("field-address", inbox)
	b.checkConsolePage("calendar-watch")
	b.press(`.form .actions button`)
	b.wantText("channel-" + size.name)
	b.open("/console/data/calendar/calendars")
	b.press(`table.data tbody tr:last-child th a`)
	b.press(`.switch a[href*="/calendar/events"]`)
	b.press(`a[href*="/do/add"]`)
	b.fill("field-summary", "Paint the door")
	b.press(`.form .actions button`)
	b.wantText("Paint the door")
	b.open("/console/lab/clock")
	b.press(`button[value="30d"]`)
	b.open("/console/lab/inbox")
	evaluate[bool](b, `[...document.querySelectorAll("details")].every(d => d.open = true)`)
	b.wantText("channel-"+size.name, "exists")
	b.checkConsolePage("lab-inbox-message")
}

// retryDeadJob has a job fail for good, retries it, and sees who did that.
func retryDeadJob(t *testing.T, world *lab.World, w *server, size screen) {
	rule, err := world.Faults().Add(faultrule.Rule{
		Match: faultrule.Match{Service: faultrule.Jobs, Operation: "identity.sweep"},
		Deed:  faultrule.Deed{Fail: "the broom is broken"},
	})
	if err != nil {
		t.Fatal(err)
	}
	// One day for the job, and an hour for each of its attempts.
	for n := range 12 {
		by := time.Hour
		if n == 0 {
			by = 26 * time.Hour
		}
		if _, err := world.AdvanceBy(t.Context(), by); err != nil {
			t.Fatal(err)
		}
	}
	if err := world.RemoveFault(rule.ID); err != nil {
		t.Fatal(err)
	}
	here := w.forTest(t)
	b := w.newTab(t, size)
	b.admin = true
	b.open("/console/sign-in?next=/console/data/administration/jobs")
	here.signIn(b)
	b.open("/console/data/administration/jobs?state=dead")
	b.wantText("identity.sweep", "the broom is broken")
	b.checkConsolePage("jobs-dead")
	b.press(`table.data tbody th a`)
	b.wantText("the broom is broken")
	b.press(`a[href*="/do/retry"]`)
	b.press(`.form .actions button`)
	b.wantText("(identity.sweep) is due now")
	b.open("/console/data/administration/audit?action=jobs.retry")
	b.wantText("jobs.retry", here.env["STOA_USER"])
}
