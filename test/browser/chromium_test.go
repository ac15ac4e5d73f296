package browser_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"stoa.dev/stoa/test/program"
)

// stepTime is a guard: a step takes milliseconds, on a busy machine a few
// seconds.
const stepTime = 30 * time.Second

// screen is a size of the browser window.
type screen struct {
	name          string
	width, height int64
	mobile        bool
}

func screens() []screen {
	return []screen{{"phone", 390, 844, true}, {"desktop", 1280, 800, false}}
}

// tab is one browser with one tab.
type tab struct {
	t      *testing.T
	ctx    context.Context
	screen screen
	url    string
	shots  string
	// admin is true while an administrator is signed in; below is where a walk stays.
	admin bool
	below string
	// paints are the times of first paints in milliseconds, by page.
	paints map[string]float64
	// axe is the program that judges pages, empty where it was not fetched; reported is
	// what it found already.
	axe      string
	reported map[string]bool
	record   *pageRecord
}

// full is for make browser.
var full = flag.Bool("full", false, "show every page in both colour schemes on both widths")

// newTab is a tab that looks at the server's pages.
func (s *server) newTab(t *testing.T, size screen) *tab {
	t.Helper()
	b := newTab(t, size, s.url)
	if s.record != nil {
		b.record = s.record
	}
	return b
}

// newTab opens a window without cookies in the Chromium of all tests.
func newTab(t *testing.T, s screen, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(shared.context(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{
		t: t, ctx: ctx, screen: s, url: url, shots: filepath.Join(root, ".cache", "browser"),
		axe: axeSource(t), reported: map[string]bool{}, record: newPageRecord(),
	}
	if err := os.MkdirAll(b.shots, 0o755); err != nil {
		t.Fatal(err)
	}
	// The first run opens the window and must not carry a deadline.
	if err := chromedp.Do(ctx, s.emulate()); err != nil {
		t.Fatalf("open a window: %v", err)
	}
	return b
}

func (s screen) emulate() chromedp.Action[chromedp.Void] {
	var kind []chromedp.EmulateViewportOption
	if s.mobile {
		kind = append(kind, chromedp.EmulateMobile)
	}
	return chromedp.EmulateViewport(s.width, s.height, kind...)
}

// resize shows the page on the other screen, and what is opened after it.
func (b *tab) resize() {
	b.t.Helper()
	other := screens()[0]
	if other == b.screen {
		other = screens()[1]
	}
	b.screen = other
	b.do("show on a "+other.name, other.emulate())
	b.until("the layout for a "+other.name, fmt.Sprintf("document.documentElement.clientWidth === %d", other.width))
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v\npage: %s", what, err, b.text())
	}
}

// open goes to a path of the server, or to a whole address.
func (b *tab) open(path string) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.url + path
	}
	b.do("open "+path, chromedp.Navigate(path))
}

// fill types into a field.
func (b *tab) fill(field, text string) {
	b.t.Helper()
	evaluate[string](b, `document.getElementById("`+field+`").value = ""`)
	b.do("fill "+field, chromedp.SendKeys(chromedp.ID(field), text))
}

// press clicks and waits for the page that follows.
func (b *tab) press(selector string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.t.Fatalf("press %s: %v\npage: %s", selector, err, b.text())
	}
}

// text is the text of the page.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText : ""`))
	if err != nil {
		return fmt.Sprint(err)
	}
	return text
}

// wantText fails unless the page has all of the texts.
func (b *tab) wantText(want ...string) {
	b.t.Helper()
	text := b.text()
	for _, w := range want {
		if !strings.Contains(text, w) {
			b.t.Fatalf("the page lacks %q:\n%s", w, text)
		}
	}
}

// evaluate evaluates an expression in the page.
func evaluate[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := tryEvaluate[T](b, expression)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// tryEvaluate is evaluate for a page that may be loading another one.
func tryEvaluate[T any](b *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// checkStaticPage checks the layout of a page without scripts; make browser takes screenshots.
func (b *tab) checkStaticPage(name string) {
	b.t.Helper()
	b.checkPage(name, 0, 1)
}

// checkSignedIn is checkStaticPage for a page with the menu, which has the console's script.
func (b *tab) checkSignedIn(name string) {
	b.t.Helper()
	b.checkPage(name, evaluate[int64](b, `document.getElementById("menu") ? 1 : 0`), 1)
}

// checkPage is checkStaticPage for a page with that many scripts and style sheets.
func (b *tab) checkPage(name string, scripts, sheets int64) {
	b.t.Helper()
	if wide := evaluate[int64](b, `document.documentElement.scrollWidth`); wide > b.screen.width {
		b.t.Errorf("%s is %d wide on a %s of %d: it scrolls sideways", name, wide, b.screen.name, b.screen.width)
	}
	if n := evaluate[int64](b, `document.scripts.length`); n != scripts {
		b.t.Errorf("%s has %d scripts, want %d", name, n, scripts)
	}
	if n := evaluate[int64](b, `document.styleSheets.length`); n != sheets {
		b.t.Errorf("%s has %d style sheets, want %d", name, n, sheets)
	}
	// Every control has a name that a screen reader can say.
	const nameless = `[...document.querySelectorAll('input:not([type=hidden]), select, textarea, button')]
		.filter(e => !(e.labels && e.labels.length) && !e.textContent.trim() && !e.ariaLabel).length`
	if n := evaluate[int64](b, nameless); n != 0 {
		b.t.Errorf("%s has %d controls without a name", name, n)
	}
	b.judge(name)
	b.screenshots(name)
}

// screenshots leaves pictures of the page in both colour schemes. No test reads
// them, so that the short form takes none.
func (b *tab) screenshots(name string) {
	b.t.Helper()
	if !*full {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		b.screenshot(name, scheme)
	}
}

// emulate shows the page in a colour scheme.
func (b *tab) emulate(scheme string) {
	b.t.Helper()
	b.do("show in "+scheme, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

func (b *tab) screenshot(name, scheme string) {
	b.t.Helper()
	b.emulate(scheme)
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatalf("screenshot of %s: %v", name, err)
	}
	file := filepath.Join(b.shots, fmt.Sprintf("%s-%s-%s.png", name, b.screen.name, scheme))
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func clickID(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// pressEnter presses the key on an element, as users without a mouse do.
func pressEnter(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS(selector), "\r")
}

func appears(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(selector))
}
