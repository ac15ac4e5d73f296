package browser_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordPaint notes how long after the navigation the page was first painted. The time
// is the browser's, so that what the test itself does is not in it.
func (b *tab) recordPaint(page string) {
	b.t.Helper()
	if b.paints == nil {
		b.paints = map[string]float64{}
	}
	b.paints[page] = b.firstPaint()
}

// firstPaint is the browser's time of the page that is shown.
func (b *tab) firstPaint() float64 {
	b.t.Helper()
	b.until("the first paint", `performance.getEntriesByName("first-contentful-paint").length > 0`)
	return evaluate[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
}

// writePaints leaves the times in a file beside the screenshots, the slowest first. They
// are measured while other tests run, so that there is no bound here.
func (b *tab) writePaints(who string) {
	b.t.Helper()
	if len(b.paints) == 0 {
		return
	}
	pages := slices.SortedFunc(maps.Keys(b.paints), func(x, y string) int { return int(b.paints[y]*10 - b.paints[x]*10) })
	var text strings.Builder
	for _, page := range pages {
		fmt.Fprintf(&text, "%.0f\t%s\n", b.paints[page], page)
	}
	file := filepath.Join(b.shots, "first-paint-"+who+"-"+b.screen.name+".tsv")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("first paint of %d pages: median %.0f ms, slowest %.0f ms (%s)", len(pages), b.paints[pages[len(pages)/2]],
		b.paints[pages[0]], pages[0])
}
