package browser_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// checkHome opens the front page as an administrator: a request of another client
// appears without a reload.
func (s *server) checkHome(b *tab) {
	b.open("/console")
	b.wantText("All healthy", "Task lists", "Recent requests")
	b.checkPage("home", 1, 1)
	b.open("/console/requests?path=/v2/limits/label")
	id := "seen-on-a-" + b.screen.name
	// Again and again: on a busy machine other tests push it out of the list
	// before the page asks.
	ctx, stop := context.WithCancel(b.t.Context())
	defer stop()
	go s.repeatRequest(ctx, id)
	b.do("wait for the request", appears(`.log .refused`))
	stop()
	b.wantText("/v2/limits/label", "401", "live", "Pause")
	b.checkPage("requests", 1, 1)
	// Other tests ask for labels too, signed in.
	b.press(".log a:has(.refused)")
	b.wantText("Caller", "anonymous", "limits.getLabel")
	b.checkPage("request", 1, 1)
}

// repeatRequest sends a request with an id of its own until the context ends.
func (s *server) repeatRequest(ctx context.Context, id string) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v2/limits/label", nil)
		if err != nil {
			return
		}
		r.Header.Set("X-Request-Id", id)
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close() // the page is what matters
		}
		<-tick.C
	}
}

// manual opens the documentation and tries an operation from its form.
func (s *server) manual(t *testing.T) {
	for _, size := range screens() {
		t.Run(size.name, func(t *testing.T) {
			t.Parallel()
			b := s.newTab(t, size)
			b.open("/console")
			b.wantText("services", "Sign in", "Task lists")
			b.checkStaticPage("home-anonymous")
			b.open("/docs/")
			b.checkPage("manual-first", 1, 2)
			b.open("/docs/architecture")
			b.checkPage("manual-architecture", 1, 2)
			b.open("/docs/services/tasks")
			b.checkPage("manual-service", 1, 2)
			s.tryOperation(b)
		})
	}
}

// tryOperation sends the form of an operation.
func (s *server) tryOperation(b *tab) {
	b.open("/docs/reference/tasks")
	b.wantText("Task lists: API reference")
	// Pasting demo.env is enough to fill in the credential.
	b.fill("variables", "STOA_TOKEN='"+s.env["STOA_TOKEN"]+"'")
	if got := evaluate[string](b, `document.getElementById("credential").value`); got != s.env["STOA_TOKEN"] {
		b.t.Errorf("the credential is %q, want the variable's", got)
	}
	evaluate[bool](b, `document.getElementById("tasks.list").open = true`)
	// The list is the one that the service's page names; without it nothing is sent.
	evaluate[string](b, `document.querySelector('[id="tasks.list"] input[name=tasklist]').value = ""`)
	b.do("try without a list", clickID(`[id="tasks.list"] button`))
	b.do("wait for the text", appears(`[id="tasks.list"] output.problem`))
	b.wantText("Fill in tasklist first")
	b.do("name the list", chromedp.SendKeys(chromedp.CSS(`[id="tasks.list"] input[name=tasklist]`), "@default"))
	b.do("try", clickID(`[id="tasks.list"] button`))
	b.do("wait for the answer", appears(`[id="tasks.list"] output.good`))
	b.wantText("200 OK", `"kind": "tasks#tasks"`)
	b.checkPage("manual-reference", 3, 2)
}

// tryAsReader sends the form of an operation without a credential, as the user who is signed in.
func (s *server) tryAsReader(b *tab) {
	b.open("/docs/reference/tasks")
	b.do("wait for the reader", appears("#reader"))
	b.wantText("You are signed in as")
	evaluate[bool](b, `document.getElementById("tasks.list").open = true`)
	b.do("try", clickID(`[id="tasks.list"] button`))
	b.do("wait for the answer", appears(`[id="tasks.list"] output.good`))
	b.wantText("200", `"kind": "tasks#tasks"`)
}

// slashKey presses the slash as a keyboard does: the character comes only if the page
// lets the key through. chromedp.KeyEvent sends the character whatever the page says.
func slashKey() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Code: "Slash", Text: "/", WindowsVirtualKeyCode: 191,
		})
		return err
	})
}

// searchManual finds a page with the keyboard alone, copies code and changes the
// language of a block.
func (s *server) searchManual(t *testing.T) {
	b := s.newTab(t, screens()[1])
	b.open("/docs/")
	b.do("search with the keyboard", slashKey(), chromedp.KeyEvent("secondary rate"))
	b.do("wait for the results", appears("#results a"))
	b.do("choose", chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
	b.until("the page that was found", `location.pathname !== "/docs/"`)
	b.open("/docs/services/tasks")
	const uncopied = `document.querySelectorAll(".code").length - document.querySelectorAll(".copy").length`
	if n := evaluate[int](b, uncopied); n != 0 {
		t.Errorf("%d blocks have no copy button", n)
	}
	evaluate[bool](b, `[...document.querySelectorAll("[role=tab]")]
		.find(t => t.textContent === "JavaScript").click() ?? true`)
	const alone = `[...document.querySelectorAll(".tabs .code")]
		.every(c => c.hidden === (c.dataset.language !== "JavaScript"))`
	if !evaluate[bool](b, alone) {
		t.Error("the tab does not show its block alone")
	}
	b.checkPage("manual-search", 1, 2)
	// The choice holds on other pages, and what is to be done before stays in sight.
	b.open("/docs/services/device")
	if !evaluate[bool](b, alone) {
		t.Error("the language is not remembered on another page")
	}
	b.open("/docs/kits")
	const steps = `[...document.querySelectorAll(".code")]
		.filter(c => c.textContent.includes("pip install")).every(c => c.checkVisibility())`
	if !evaluate[bool](b, steps) {
		t.Error("an installation is hidden behind a tab")
	}
}
