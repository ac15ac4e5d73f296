package browser_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// walkers are who looks at the console: an administrator, an ordinary user, and an
// anonymous caller.
func walkers() []string { return []string{"admin", "user", "anonymous"} }

const userPassword = "seven quiet columns"

// givePassword lets the demo's second user sign in.
func (s *server) givePassword(name string) {
	s.t.Helper()
	set := exec.Command(s.binary, "user", "password", name, "--password", userPassword, "--data", s.data)
	set.Env = program.Environ()
	if out, err := set.CombinedOutput(); err != nil {
		s.t.Fatalf("stoa user password: %v\n%s", err, out)
	}
}

// consolePages walks every page that the console leads to, as each of the walkers, on
// a phone and on a desktop. The short form loads the administrator's pages once and looks
// at each on both; an ordinary user sees a part of them, on the phone alone.
func (s *server) consolePages(t *testing.T) {
	s.forTest(t).givePassword(s.env["STOA_GUEST"])
	for _, size := range screens() {
		for _, who := range walkers() {
			if !*full && (who == "user" && !size.mobile || who == "admin" && size.mobile) {
				continue
			}
			t.Run(size.name+" "+who, func(t *testing.T) {
				t.Parallel()
				here := s.forTest(t)
				b := s.newTab(t, size)
				switch who {
				case "admin":
					b.admin = true
					b.open("/console/sign-in?next=/console")
					here.signIn(b)
				case "user":
					b.open("/console/sign-in?next=/console")
					b.fill("name", s.env["STOA_GUEST"])
					b.fill("password", userPassword)
					b.press("main button")
				}
				pages := []string{"/console"}
				if who == "admin" || *full {
					pages = append(pages, routePages()...)
				}
				visited := b.walk(pages, func(name string) {
					b.recordPaint(name)
					b.record.seen(b, who)
					b.checkConsolePage(who + "-" + name)
					if who == "admin" && !*full {
						b.resize()
						b.checkConsolePage(who + "-" + name)
					}
				})
				b.writePaints(who)
				want := map[string]int{"admin": 70, "user": 40, "anonymous": 1}[who]
				if len(visited) < want {
					t.Errorf("%d pages were visited, want at least %d: %q", len(visited), want, visited)
				}
				if who == "admin" {
					checkRoutesVisited(t, visited)
				}
				for _, page := range visited {
					if who != "admin" && strings.HasPrefix(page, "/console/administration") {
						t.Errorf("%s is shown to a %s", page, who)
					}
				}
			})
		}
	}
}

var shapeless = regexp.MustCompile(`=[^&]*`)

// walk visits pages of the console and those that links lead to, one of each kind, and
// calls look on each. Pages of administrators are not there for others.
func (b *tab) walk(from []string, look func(name string)) (visited []string) {
	b.t.Helper()
	seen, kinds, linked := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for queue := from; len(queue) > 0; {
		page := queue[0]
		queue = queue[1:]
		kind := shapeless.ReplaceAllString(page, "")
		if strings.Contains(page, "console_view=") {
			kind = page[strings.Index(page, "console_view="):]
		}
		if seen[page] || kinds[kind] {
			continue
		}
		seen[page], kinds[kind] = true, true
		b.open(page)
		if b.isAskedToSignIn() {
			if !kinds["sign-in"] {
				kinds["sign-in"] = true
				look("sign-in")
			}
			continue
		}
		if status := evaluate[float64](b, `performance.getEntriesByType("navigation")[0].responseStatus`); status != 200 {
			if evaluate[bool](b, `document.querySelector("main .problem") !== null`) && !b.admin {
				if !kinds["refused"] {
					kinds["refused"] = true
					look("refused")
				}
				continue // the service refuses those who may not see it
			}
			if status == http.StatusNotFound && hasFinished(page, b.text()) {
				kinds[kind] = false // so that another one is visited
				continue
			}
			if status != http.StatusNotFound || b.admin || linked[page] {
				b.t.Errorf("%s: status %v\n%s", page, status, b.text())
			}
			continue
		}
		visited = append(visited, page)
		look(slug(kind))
		var links []string
		text := evaluate[string](b, `JSON.stringify([...document.querySelectorAll("a[href]")].map(a => a.href))`)
		if err := json.Unmarshal([]byte(text), &links); err != nil {
			b.t.Fatal(err)
		}
		for _, link := range links {
			path, ok := b.consolePath(link)
			linked[path] = true
			if ok && !slices.Contains(queue, path) {
				queue = append(queue, path)
			}
		}
	}
	return visited
}

// hasFinished reports whether the page of a job was asked for too late: a job that has
// finished since it was listed is not kept, and has no page.
func hasFinished(page, text string) bool {
	return strings.HasPrefix(page, "/console/data/administration/jobs/item") && strings.Contains(text, "or it is finished")
}

// isAskedToSignIn reports whether the page is the form that a caller without a session
// gets instead of another one.
func (b *tab) isAskedToSignIn() bool {
	b.t.Helper()
	return evaluate[bool](b, `location.pathname.endsWith("/console/sign-in")`)
}

// consolePath is the path of a link to a page that the walk visits.
func (b *tab) consolePath(link string) (string, bool) {
	path, ok := strings.CutPrefix(link, b.url)
	u, err := url.Parse(path)
	if !ok || err != nil || !strings.HasPrefix(u.Path, "/console") || strings.HasPrefix(u.Path, "/console/sign") ||
		u.Query().Has("console_day") || u.Query().Has("console_page") || u.Query().Has("before") {
		return "", false
	}
	u.Fragment = ""
	if !strings.HasPrefix(u.Path, b.below) {
		return "", false
	}
	if strings.HasPrefix(u.Path, "/console/requests/") {
		return "", false // one request is looked at by a test of its own
	}
	return u.String(), true
}

var notInNames = regexp.MustCompile(`[^a-z]+`)

func slug(page string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(strings.TrimPrefix(page, "/")), "-"), "-")
}

// checkConsolePage is what must hold on every page of the console.
func (b *tab) checkConsolePage(name string) {
	b.t.Helper()
	if wide := evaluate[int64](b, `document.documentElement.scrollWidth`); wide > b.screen.width {
		b.t.Errorf("%s is %d wide on a %s of %d: it scrolls sideways", name, wide, b.screen.name, b.screen.width)
	}
	if n := evaluate[int64](b, `document.querySelectorAll("h1").length`); n != 1 && !strings.Contains(name, "design") {
		b.t.Errorf("%s has %d headings of the first level, want 1", name, n)
	}
	const nameless = `[...document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a[href]')]
		.filter(e => !(e.labels && e.labels.length) && !e.innerText && !e.textContent.trim() && !e.ariaLabel).length`
	if n := evaluate[int64](b, nameless); n != 0 {
		b.t.Errorf("%s has %d controls without a name", name, n)
	}
	b.checkFilters(name)
	b.judge(name)
	b.screenshots("console-" + name)
}
