package browser_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// front is the first page of an administrator: a request that somebody else
// makes appears without a reload.
func (s *server) front(b *tab) {
	b.open("/console")
	b.says("All of them answer", "Task lists", "Last requests")
	id := "seen-on-a-" + b.screen.name
	// Again and again: on a busy machine other tests push it out of the list
	// before the page asks.
	ctx, stop := context.WithCancel(b.t.Context())
	defer stop()
	go s.repeat(ctx, id)
	b.do("wait for the request", appears(`[data-request="`+id+`"] .refused`))
	stop()
	b.says("/v2/limits/label", "401")
	b.look("home", 1, 1)
}

// repeat makes a request under a name of its own until the context ends.
func (s *server) repeat(ctx context.Context, id string) {
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

// manual reads the pages as people do and tries an operation from its form.
func (s *server) manual(t *testing.T) {
	for _, size := range screens() {
		t.Run(size.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, size, s.url)
			b.open("/console")
			b.says("services", "Sign in", "Task lists")
			b.shot("front-stranger")
			b.open("/docs/")
			b.look("manual-first", 0, 2)
			b.open("/docs/architecture")
			b.look("manual-architecture", 0, 2)
			b.open("/docs/services/tasks")
			b.look("manual-service", 0, 2)
			s.try(b)
		})
	}
}

// try sends the form of an operation.
func (s *server) try(b *tab) {
	b.open("/docs/reference/tasks")
	b.says("Task lists: reference")
	// Pasting demo.env is enough to be let in.
	b.fill("variables", "STOA_TOKEN='"+s.env["STOA_TOKEN"]+"'")
	if got := ask[string](b, `document.getElementById("credential").value`); got != s.env["STOA_TOKEN"] {
		b.t.Errorf("the credential is %q, want the variable's", got)
	}
	ask[bool](b, `document.getElementById("tasks.list").open = true`)
	// The list is the one that the service's page names; without it nothing is sent.
	ask[string](b, `document.querySelector('[id="tasks.list"] input[name=tasklist]').value = ""`)
	b.do("try without a list", clickID(`[id="tasks.list"] button`))
	b.do("wait for the words", appears(`[id="tasks.list"] output.problem`))
	b.says("Fill in tasklist first")
	b.do("name the list", chromedp.SendKeys(chromedp.CSS(`[id="tasks.list"] input[name=tasklist]`), "@default"))
	b.do("try", clickID(`[id="tasks.list"] button`))
	b.do("wait for the answer", appears(`[id="tasks.list"] output.good`))
	b.says("200 OK", `"kind": "tasks#tasks"`)
	b.look("manual-reference", 1, 2)
}
