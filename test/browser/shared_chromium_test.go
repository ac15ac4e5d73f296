package browser_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"stoa.dev/stoa/test/program"
)

// shared is the Chromium of all tests: a start takes more than a second of a processor,
// and windows of one browser share no cookies.
var shared chromium

// chromium is a browser that the first test starts.
type chromium struct {
	mu   sync.Mutex
	ctx  context.Context
	stop func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	os.Exit(code)
}

// context is that of the browser, in which windows are opened.
func (c *chromium) context(t *testing.T) context.Context {
	t.Helper()
	// The first has the same engine and no windows, which saves half of the time. tools/setup.sh knows them as well.
	path := program.Need(t, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable", "chrome")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil {
		return c.ctx
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	// The first run starts the browser and must not carry a deadline.
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		stop()
		t.Fatalf("start chromium: %v", err)
	}
	c.ctx, c.stop = ctx, func() {
		cancel()
		stop()
	}
	return ctx
}
