package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// pauseRecorder records every pause and ends it at once.
type pauseRecorder struct {
	clock.Clock
	mu     sync.Mutex
	pauses []time.Duration
}

func (p *pauseRecorder) NewTimer(d time.Duration) *clock.Timer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pauses = append(p.pauses, d)
	return clock.Real().NewTimer(0)
}

// take returns the pauses since the last call.
func (p *pauseRecorder) take() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	pauses := p.pauses
	p.pauses = nil
	return pauses
}

// try sends a password from an address, by a browser without cookies.
func (h *testServer) try(from, name, password string) int {
	h.t.Helper()
	h.cookie, h.browser, h.from = "", "", from
	return h.send("POST", "https://stoa.test/console/sign-in", url.Values{"name": {name}, "password": {password}}).Code
}

// newPassword is the form that changes the password of the session's user.
func (h *testServer) newPassword(old string) url.Values {
	h.t.Helper()
	return url.Values{
		"form": {h.form()}, "old": {old}, "password": {"another password"}, "again": {"another password"},
	}
}

func TestPasswordAttemptsOfOneNetwork(t *testing.T) {
	t.Parallel()
	for name, networks := range map[string][2]string{
		"one IPv4 address": {"192.0.2.1:1", "192.0.2.1:2"},
		"one IPv6 network": {"[2001:db8:1:2::1]:1", "[2001:db8:1:2:ffff::9]:1"},
		"a mapped address": {"192.0.2.1:1", "[::ffff:192.0.2.1]:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.User("grace")
			// Right passwords are not counted.
			for range 5 {
				if got := h.try(networks[0], "ada", password); got != http.StatusSeeOther {
					t.Fatalf("right password: %d", got)
				}
			}
			for _, from := range []string{networks[0], networks[1], networks[0]} {
				if got := h.try(from, "ADA", "wrong"); got != http.StatusUnauthorized {
					t.Fatalf("wrong password: %d, want 401", got)
				}
			}
			for _, from := range networks {
				if got := h.try(from, "ada", password); got != http.StatusTooManyRequests {
					t.Errorf("right password after three wrong ones from %s: %d, want 429", from, got)
				}
			}
			if got := h.try(networks[0], "grace", password); got != http.StatusSeeOther {
				t.Errorf("another name: %d, want to be let in", got)
			}
			refused := 0
			for n := range 20 {
				if h.try(networks[n%2], "user"+string(rune('a'+n)), "wrong") == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused != 20-9 {
				t.Errorf("%d of 20 attempts refused, want 11: 12 in all from one network", refused)
			}
			h.Clock.Advance(15 * time.Minute)
			if got := h.try(networks[0], "ada", password); got != http.StatusSeeOther {
				t.Errorf("a quarter of an hour later: %d, want to be let in", got)
			}
		})
	}
}

// TestOwnerGetsIn: attempts at an account's password from elsewhere do not keep its
// owner out, neither from one network nor from a thousand.
func TestOwnerGetsIn(t *testing.T) {
	t.Parallel()
	for name, networks := range map[string]int{"attempts from one network": 1, "attempts from many networks": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.signIn("ada")
			session, browser := strings.Replace(h.cookie, "__Host-", "", 1), h.browser
			for n := range networks {
				for range 4 {
					h.try(fmt.Sprintf("198.51.100.%d:1", n), "ada", "wrong")
				}
			}
			slowed := h.pauses.take()
			if networks > 1 && (len(slowed) == 0 || slices.Max(slowed) != console.MaxPause) {
				t.Errorf("pauses of the attempts = %v, want to grow to %s", slowed, console.MaxPause)
			}
			if !slices.IsSorted(slowed) {
				t.Errorf("pauses = %v, want to grow", slowed)
			}

			// From a network and a browser that were never seen.
			if got := h.try("203.0.113.9:1", "ada", password); got != http.StatusSeeOther {
				t.Errorf("the owner from elsewhere: %d, want to be let in", got)
			}
			pauses := h.pauses.take()
			if len(pauses) > 1 || networks == 1 && len(pauses) > 0 || len(pauses) == 1 && pauses[0] > console.MaxPause {
				t.Errorf("the owner waited %v, want once and at most %s, or not at all where one network tries",
					pauses, console.MaxPause)
			}

			// From a browser that has signed in before, and from a network that has
			// used up its own attempts.
			h.cookie, h.browser, h.from = "", browser, "127.0.0.1:1"
			w := h.send("POST", "/console/sign-in", url.Values{"name": {"Ada"}, "password": {password}})
			if w.Code != http.StatusSeeOther {
				t.Errorf("a known browser: %d, want to be let in", w.Code)
			}
			h.cookie, h.browser, h.from = "", strings.Replace(browser, "stoa", "__Host-stoa", 1), "198.51.100.0:1"
			w = h.send("POST", "https://stoa.test/console/sign-in", url.Values{"name": {"ada"}, "password": {password}})
			if w.Code != http.StatusSeeOther {
				t.Errorf("a known browser in the network of the attempts: %d, want to be let in", w.Code)
			}
			if pauses := h.pauses.take(); len(pauses) > 0 {
				t.Errorf("a known browser waited %v, want no pause", pauses)
			}

			// In the session that was open all the time.
			h.cookie, h.browser, h.from = session, "", "127.0.0.1:1"
			if w := h.send("POST", "/console/password", h.newPassword(password)); w.Code != http.StatusSeeOther {
				t.Errorf("changing the password: %d, want 303", w.Code)
			}
		})
	}
}

// TestKnownBrowser: the cookie is good for its own names, until it expires, and
// for as many attempts as other browsers have.
func TestKnownBrowser(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.User("grace")
	h.signIn("ada")
	browser := h.browser
	post := func(browser, name, password string) int {
		h.cookie, h.browser, h.from = "", browser, "127.0.0.1:1"
		return h.send("POST", "/console/sign-in", url.Values{"name": {name}, "password": {password}}).Code
	}
	for range 3 {
		post("", "grace", "wrong")
		post("", "ada", "wrong")
	}
	for _, row := range []struct {
		name, browser, user string
		want                int
	}{
		{"its name", browser, "ada", 303},
		{"another name", browser, "grace", 429},
		{"no cookie", "", "ada", 429},
		{"a forged one", browser[:len(browser)-3] + "abc", "ada", 429},
		{"another seal", "stoa_browser=" + h.cookie, "ada", 429},
	} {
		if got := post(row.browser, row.user, password); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
	for range 3 {
		if got := post(browser, "ada", "wrong"); got != http.StatusUnauthorized {
			t.Errorf("wrong password of a known browser: %d, want 401", got)
		}
	}
	if got := post(browser, "ada", password); got != http.StatusTooManyRequests {
		t.Errorf("a known browser that guesses: %d, want 429", got)
	}
	h.Clock.Advance(15 * time.Minute)
	h.cookie, h.browser = "", browser
	h.signIn("grace")
	both := h.browser
	for range 3 {
		post("", "grace", "wrong")
		post("", "ada", "wrong")
	}
	for _, name := range []string{"ada", "grace"} {
		if got := post(both, name, password); got != http.StatusSeeOther {
			t.Errorf("a browser of two users, %s: %d, want 303", name, got)
		}
	}
	h.Clock.Advance(181 * 24 * time.Hour)
	for range 3 {
		post("", "ada", "wrong")
	}
	if got := post(both, "ada", password); got != http.StatusTooManyRequests {
		t.Errorf("after half a year: %d, want 429", got)
	}
}

// TestPasswordChangeAttempts: guessing the password in an open session is bounded,
// and uses up nothing of the owner's other sessions.
func TestPasswordChangeAttempts(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	stolen := h.cookie
	h.cookie = ""
	h.signIn("ada")
	own := h.cookie
	change := func(cookie, old string) int {
		h.cookie = cookie
		return h.send("POST", "/console/password", h.newPassword(old)).Code
	}
	for range 3 {
		if got := change(stolen, "wrong"); got != http.StatusBadRequest {
			t.Fatalf("wrong: %d, want 400", got)
		}
	}
	if got := change(stolen, password); got != http.StatusTooManyRequests {
		t.Errorf("fourth try: %d, want 429", got)
	}
	if got := change(own, password); got != http.StatusSeeOther {
		t.Errorf("the owner: %d, want 303", got)
	}
}

// TestRefusedNewPasswordIsNoAttempt: a new password that may not be set says nothing about the current one.
func TestRefusedNewPasswordIsNoAttempt(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	for n := range 5 {
		form := h.newPassword(password)
		form.Set("password", "short")
		form.Set("again", "short")
		if w := h.send("POST", "/console/password", form); w.Code != http.StatusBadRequest {
			t.Fatalf("password %d that is too short: %d, want 400", n, w.Code)
		}
	}
	if w := h.send("POST", "/console/password", h.newPassword(password)); w.Code != http.StatusSeeOther {
		t.Errorf("a good one after them: %d, want 303", w.Code)
	}
}

func TestUserCodeAttempts(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.User("grace")
	h.signIn("ada")
	form := h.form()
	try := func(code string) int {
		return h.send("POST", "/device", url.Values{"form": {form}, "user_code": {code}}).Code
	}
	for range 5 {
		// What cannot be a code is no guess.
		if got := try("my television"); got != http.StatusBadRequest {
			t.Fatalf("no code at all: %d, want 400", got)
		}
	}
	for range 3 {
		if got := try("BBBB-BBBB"); got != http.StatusBadRequest {
			t.Fatalf("wrong code: %d, want 400", got)
		}
	}
	if got := try("BBBB-BBBB"); got != http.StatusTooManyRequests {
		t.Errorf("fourth wrong code: %d, want 429", got)
	}
	h.cookie = ""
	h.signIn("grace")
	form = h.form()
	if got := try("BBBB-BBBB"); got != http.StatusBadRequest {
		t.Errorf("another user of the same network: %d, want 400", got)
	}
}

// TestPasswordChecksHaveShares: networks that keep every slot they can get busy
// leave one to a browser that has signed in before.
func TestPasswordChecksHaveShares(t *testing.T) {
	t.Parallel()
	var made *console.Console
	h := &testServer{t: t, from: "127.0.0.1:1", pauses: &pauseRecorder{Clock: clock.Real()}}
	h.Server = identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		made = console.New(w, identity, grants.New(w, identity), console.DefaultConfig(), nil)
		return made.Module()
	})
	h.User("ada")
	h.signIn("ada")
	if _, err := made.PasswordChecks().Take(t.Context(), budget.Address("192.0.2.1"), 1); err != nil {
		t.Fatal(err)
	}
	h.cookie = ""
	h.signIn("ada")
	if w := h.send("POST", "/console/password", h.newPassword(password)); w.Code != http.StatusSeeOther {
		t.Errorf("changing the password: %d, want 303", w.Code)
	}
	if left := made.PasswordChecks().Used(); left != 1 {
		t.Errorf("%d slots are held, want the one of the other network", left)
	}
}

func TestNoPasswordOverPlainHTTP(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, row := range []struct {
		from, base string
		want       int
	}{
		{"127.0.0.1:1", "http://stoa.test", 303},
		{"[::1]:1", "http://stoa.test", 303},
		{"192.0.2.1:1", "https://stoa.test", 303},
		{"172.18.0.1:1", "http://localhost:8080", 303},
		{"172.18.0.1:1", "http://acme.localhost:8080", 303},
		{"172.18.0.1:1", "http://[::1]:8080", 303},
		{"172.18.0.1:1", "http://127.0.0.1:8080", 303},
		{"192.0.2.1:1", "http://stoa.test", 403},
		{"192.0.2.1:1", "http://localhost.stoa.test", 403},
		{"192.0.2.1:1", "http://notlocalhost", 403},
		{"[2001:db8::1]:1", "http://192.0.2.7:8080", 403},
	} {
		h.cookie, h.browser, h.from = "", "", row.from
		page := h.send("GET", row.base+"/console/sign-in", nil)
		w := h.send("POST", row.base+"/console/sign-in", url.Values{"name": {"ada"}, "password": {password}})
		if w.Code != row.want {
			t.Errorf("password from %s to %s: %d, want %d", row.from, row.base, w.Code, row.want)
		}
		if asks := strings.Contains(page.Body.String(), `type="password"`); asks != (row.want == 303) {
			t.Errorf("page from %s to %s asks for a password: %t", row.from, row.base, asks)
		}
		if row.want == 403 && (h.cookie != "" || !strings.Contains(w.Body.String(), "--https") || page.Code != 403) {
			t.Errorf("from %s to %s: cookie %q, page %d: want the text about --https",
				row.from, row.base, h.cookie, page.Code)
		}
	}
	h.cookie, h.from = "", "127.0.0.1:1"
	h.signIn("ada")
	form := h.newPassword(password)
	h.from = "192.0.2.1:1"
	if w := h.send("POST", "http://stoa.test/console/password", form); w.Code != http.StatusForbidden {
		t.Errorf("changing the password over plain HTTP: %d, want 403", w.Code)
	}
}

// Every form of a user is counted, and forms that create do not use up the limit of
// those that delete. Signing in is counted by network.
func TestEveryFormIsCounted(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	form := h.form()
	user, err := h.Identity.UserByName(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	use := func(name, key string, n int64) {
		t.Helper()
		window := limit.Window{Name: "console." + name, Limit: n, Per: time.Hour}
		if _, err := h.World.Limits.Take(t.Context(), window, key, n); err != nil {
			t.Fatal(err)
		}
	}
	// Counted before anything is checked, so that no form needs to be valid.
	refused := func(except string) (names []string) {
		t.Helper()
		cookie, browser := h.cookie, h.browser
		for _, r := range h.Module.Routes {
			if r.Method != "POST" || r.Name == "signIn" || r.Name == "lab.do" || r.Name == except {
				continue
			}
			h.cookie, h.browser = cookie, browser
			target := strings.ReplaceAll(r.Pattern, "{id}", "999")
			if h.send("POST", target, url.Values{"form": {form}}).Code == http.StatusTooManyRequests {
				names = append(names, r.Name)
			}
		}
		h.cookie, h.browser = cookie, browser
		return names
	}
	key := fmt.Sprint("user:", user.ID)
	use("changes", key, 300)
	creating := []string{
		"password", "tokens.issue", "applications.add", "applications.secret", "consent", "device", "device.decision",
		"try", "requests.again", "data.do", "admin.backup", "graphs.keep", "dashboards.make",
	}
	use("endings", key, 300)
	deleting := []string{
		"signOut", "tokens.revoke", "applications.delete", "sessions.endOthers", "sessions.end", "dashboards.remove",
		"dashboards.delete",
	}
	want := slices.Sorted(slices.Values(append(slices.Clone(creating), deleting...)))
	if got := slices.Sorted(slices.Values(refused(""))); !slices.Equal(got, want) {
		t.Errorf("with both limits used up %v are refused, want every form: %v", got, want)
	}
	h.Clock.Advance(time.Hour)
	use("changes", key, 300)
	// Signing out counts as a deletion, and would end the test's session.
	if got := refused("signOut"); !slices.Equal(got, creating) {
		t.Errorf("with changes used up %v are refused, want %v", got, creating)
	}
	if got := h.try("192.0.2.1:1", "ada", password); got != http.StatusSeeOther {
		t.Errorf("sign in: %d, want 303", got)
	}
	use("signIns", "network:192.0.2.2", 600)
	if got := h.try("192.0.2.2:1", "ada", password); got != http.StatusTooManyRequests {
		t.Errorf("sign in from a network that has done so 600 times: %d, want 429", got)
	}
	if got := h.try("192.0.2.3:1", "ada", password); got != http.StatusSeeOther {
		t.Errorf("from another network: %d, want 303", got)
	}
}
