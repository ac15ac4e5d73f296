package browser_test

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/test/program"
)

// writePages is for make browser-pages.
var writePages = flag.String("write", "", "measure first paints, write the table of pages into this file")

// pageRecord is what was seen of the pages of one server.
type pageRecord struct {
	mu    sync.Mutex
	mux   *http.ServeMux
	pages map[string]*pageFacts
	// bare is the first paint of a page of one line by screen: what the browser itself needs.
	bare map[string]float64
}

// pageFacts is a page with how often axe-core looked at it and what it found, an address
// of it that can be opened, who has seen it, its first paints by screen, and when its answer was whole.
type pageFacts struct {
	judged, violations int
	address            string
	seenBy             map[string]bool
	paints, answers    map[string]float64
}

func newPageRecord() *pageRecord {
	return &pageRecord{mux: consoleMux(), pages: map[string]*pageFacts{}, bare: map[string]float64{}}
}

// page is the row of an address. The caller holds mu.
func (r *pageRecord) page(address string) *pageFacts {
	path, _, _ := strings.Cut(address, "?")
	if p := pattern(r.mux, path); strings.Contains(p, "{id}") {
		path = p
	}
	if r.pages[path] == nil {
		r.pages[path] = &pageFacts{seenBy: map[string]bool{}, paints: map[string]float64{}, answers: map[string]float64{}}
	}
	return r.pages[path]
}

// judged notes what axe-core found on the page that the tab shows.
func (r *pageRecord) judged(b *tab, violations int) {
	b.t.Helper()
	if address, ok := b.address(); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		p := r.page(address)
		p.judged++
		p.violations += violations
	}
}

// seen notes that a visitor's walk came to a page.
func (r *pageRecord) seen(b *tab, who string) {
	b.t.Helper()
	if address, ok := b.address(); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		p := r.page(address)
		p.seenBy[who] = true
		if who == "admin" {
			p.address = cmp.Or(p.address, address)
		}
	}
}

// address is the path and query that the tab shows, if it is a page of the server's
// console.
func (b *tab) address() (string, bool) {
	path, ok := strings.CutPrefix(evaluate[string](b, `location.href`), b.url)
	return path, ok && (strings.HasPrefix(path, "/console") || strings.HasPrefix(path, "/device"))
}

// paintRounds is how often a page is opened for its number.
const paintRounds = 5

// paintGoal is what a page shall need on a machine that does nothing else, in
// milliseconds. It is told and not tested: the machine may be busy.
const paintGoal = 100

// measurePaints opens every page of the administrator's walk while nothing else runs,
// and writes the table.
func (s *server) measurePaints(t *testing.T) {
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>bare</title><p>One line.")
	}))
	defer bare.Close()
	for _, size := range screens() {
		b := s.newTab(t, size)
		s.record.bare[size.name], _ = b.timesOf(bare.URL + "/")
		b.open("/console/sign-in?next=/console")
		s.forTest(t).signIn(b)
		for _, p := range s.record.pages {
			if p.address == "" {
				continue
			}
			p.paints[size.name], p.answers[size.name] = b.timesOf(p.address)
		}
	}
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, *writePages), []byte(s.record.table()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// timesOf opens a page several times for the middle of its first paints and answers.
func (b *tab) timesOf(address string) (paint, answer float64) {
	b.t.Helper()
	var paints, answers []float64
	for range paintRounds {
		b.open(address)
		paints = append(paints, b.firstPaint())
		answers = append(answers, evaluate[float64](b, `performance.getEntriesByType("navigation")[0].responseEnd`))
	}
	return middle(paints), middle(answers)
}

func middle(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)/2]
}

// table is the page of the documentation.
func (r *pageRecord) table() string {
	var rows strings.Builder
	var slowest float64
	var judged, violations, measured, below int
	for _, path := range slices.Sorted(maps.Keys(r.pages)) {
		p := r.pages[path]
		judged += p.judged
		violations += p.violations
		cells := []string{"`" + path + "`", strings.Join(slices.Sorted(maps.Keys(p.seenBy)), ", ")}
		for _, size := range screens() {
			paint, answer := "", ""
			if ms, ok := p.paints[size.name]; ok {
				slowest, measured = max(slowest, ms), measured+1
				paint, answer = fmt.Sprintf("%.0f", ms), fmt.Sprintf("%.0f", p.answers[size.name])
				if ms < paintGoal {
					below++
				}
			}
			cells = append(cells, answer, paint)
		}
		cells = append(cells, fmt.Sprint(p.judged), fmt.Sprint(p.violations))
		rows.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return fmt.Sprintf(`# Pages of the console

Written by `+"`make browser-pages`"+`, which walks the console of the demo world in Chromium and replaces this page.

*Paint* is the browser's own first-contentful-paint, *answer* when it had the whole page, both in milliseconds after the click,
the middle one of %d, as an administrator whose browser has the style sheet already, with the server and the browser on one machine whose load
average was %s at the end. *Looks* is how often axe-core %s judged the page
by the rules of WCAG 2.2 A and AA: on a phone and on a desktop, in light and dark, as each visitor who sees it, and in the
states that tests bring it to. *Found* is the number of violations.

%d pages, %d looks, %d violations. Of %d first paints %d came within %d ms, the slowest took %.0f ms.
A page of one line, from a bare server, took %.0f ms on the phone and %.0f ms on the desktop: that much is the browser's own.

| page | seen by | phone answer | phone paint | desktop answer | desktop paint | looks | found |
|---|---|---|---|---|---|---|---|
%s`, paintRounds, loadAverage(), axeVersion, len(r.pages), judged, violations, measured, below, int(paintGoal), slowest,
		r.bare[screens()[0].name], r.bare[screens()[1].name], rows.String())
}

// loadAverage is how busy the machine was in the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
