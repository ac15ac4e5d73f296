package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// example is what the reference pages fill forms with.
type example struct {
	Parameters map[string]string            `json:"parameters"`
	Queries    map[string]map[string]string `json:"queries"`
}

// visitOperations asks every operation of the descriptions that is read with GET, and
// counts those that were answered.
func (v *visitor) visitOperations() (answered int) {
	v.t.Helper()
	examples := map[string]example{}
	readJSON(v.t, "../../console/manual/assets/examples.json", &examples)
	files, err := filepath.Glob("../../../docs/openapi/*.json")
	if err != nil || len(files) == 0 {
		v.t.Fatalf("no descriptions: %v", err)
	}
	for _, file := range files {
		var description struct {
			Paths map[string]map[string]struct {
				ID string `json:"operationId"`
			} `json:"paths"`
		}
		readJSON(v.t, file, &description)
		known := examples[strings.TrimSuffix(filepath.Base(file), ".json")]
		for _, path := range slices.Sorted(maps.Keys(description.Paths)) {
			operation, ok := description.Paths[path]["get"]
			if !ok {
				continue
			}
			query := url.Values{}
			for name, value := range known.Queries[operation.ID] {
				query.Set(name, v.fill(value))
			}
			address := v.base + regexp.MustCompile(`\{(\w+)\}`).ReplaceAllStringFunc(path, func(name string) string {
				value, ok := known.Parameters[strings.Trim(name, "{}")]
				if !ok {
					value = v.learn(strings.Trim(name, "{}"))
				}
				return url.PathEscape(v.fill(value))
			})
			if len(query) > 0 {
				address += "?" + query.Encode()
			}
			if status, _ := v.visit(address); status < http.StatusBadRequest {
				answered++
			} else {
				v.t.Logf("%s is refused with %d", address, status)
			}
		}
	}
	return answered
}

func readJSON(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// fill replaces the variables of demo.env.
func (v *visitor) fill(text string) string {
	return os.Expand(text, func(name string) string {
		switch name {
		case "NOW":
			return strconv.FormatInt(time.Now().Unix(), 10)
		case "HOUR_AGO":
			return strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
		}
		return v.env[name]
	})
}

// learn finds the value of a parameter in a list of the demo world; a name without
// one is asked for in vain, and the refusal has links too.
func (v *visitor) learn(parameter string) string {
	lists := map[string][2]string{
		"task":       {"/tasks/v1/lists/@default/tasks", `"id": *"([^"]+)"`},
		"eventId":    {"/calendar/v3/calendars/primary/events", `"id": *"([^"]+)"`},
		"comment_id": {"/api/v2/items/" + v.env["STOA_ARTICLE"] + "/comments", `"id": *"([^"]+)"`},
		"file":       {"/v1beta/files", `"name": *"files/([^"]+)"`},
	}
	list, ok := lists[parameter]
	if !ok {
		return "1"
	}
	response := v.send("GET", v.base+list[0], nil)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if found := regexp.MustCompile(list[1]).FindSubmatch(body); found != nil {
		return string(found[1])
	}
	return "1"
}

// signIn signs the browser in and returns the path that it is led to.
func (v *visitor) signIn() string {
	v.t.Helper()
	response := v.send("POST", v.base+"/console/sign-in", url.Values{
		"name": {v.env["STOA_USER"]}, "password": {v.env["STOA_PASSWORD"]}, "next": {"/console/sessions"},
	})
	defer response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		text, _ := io.ReadAll(response.Body)
		v.t.Fatalf("sign in at %s: %d %s", v.base, response.StatusCode, text)
	}
	return response.Header.Get("Location")
}

// crawl visits every page that the pages found so far lead to.
func (v *visitor) crawl() {
	page := regexp.MustCompile(`^/(console|docs|device|generate|cc\.xml|[a-z_]*articles|vcs_a|gh)\b`)
	for {
		before := len(v.seen)
		for _, link := range slices.Sorted(maps.Keys(v.links)) {
			// Calendars go on for ever, and the list of requests grows with every visit.
			if strings.Contains(link, "console_day=") || strings.Contains(link, "/console/requests") {
				continue
			}
			if path, ok := strings.CutPrefix(link, v.base); ok && page.MatchString(path) {
				v.visit(link)
			}
		}
		if len(v.seen) == before {
			return
		}
	}
}

// elsewhere are the sites that answers name besides their own world.
func elsewhere() []string {
	return []string{"example.com", "example.net", "example.org", "example", "datatracker.ietf.org", "www.rfc-editor.org",
		"slsa.dev", "json-schema.org", "www.w3.org"}
}

// unanswered are addresses that the contract has in answers of services that have
// no such operation, names of scopes, and what only git asks.
func unanswered() *regexp.Regexp {
	return regexp.MustCompile(`^/(auth/|git/|users/[^/]+(/repos)?$|orgs/[^/]+$|repos/[^/]+/[^/]+/commits/|` +
		`(lyceum|ada|grace)(/|$))`)
}

// check proves that every link leads to the world by the same address.
func (v *visitor) check() {
	for _, link := range slices.Sorted(maps.Keys(v.links)) {
		u, err := url.Parse(link)
		if err != nil {
			v.t.Errorf("%s on %s: %v", link, v.links[link], err)
			continue
		}
		page, _, _ := strings.Cut(v.links[link], "?")
		if page == v.base+"/console/lab" && strings.HasSuffix(link, "/console") {
			continue // other worlds are at their own addresses
		}
		if !slices.Contains(v.own, u.Host) {
			if v.publicHosts && !strings.HasPrefix(page, v.base+"/console") {
				continue
			}
			if !slices.ContainsFunc(elsewhere(), func(site string) bool {
				return u.Hostname() == site || strings.HasSuffix(u.Hostname(), "."+site)
			}) && !strings.HasPrefix(v.links[link], v.base+"/docs/") && !v.registered(u) {
				v.t.Errorf("%s on %s leads out of the world", link, v.links[link])
			}
			continue
		}
		path, ok := strings.CutPrefix(link, v.base)
		if !ok || path != "" && path[0] != '/' && path[0] != '?' {
			v.t.Errorf("%s on %s does not begin with %s", link, v.links[link], v.base)
			continue
		}
		if unanswered().MatchString(path) || v.seen[link] {
			continue
		}
		if status, body := v.visit(link); status == http.StatusNotFound {
			v.t.Errorf("%s on %s is not found: %.200s", link, v.links[link], body)
		}
	}
}

// registered reports whether the address is the redirect URI of the demo's client.
func (v *visitor) registered(u *url.URL) bool { return u.Host == "127.0.0.1:9999" }

func TestLinksLeadToTheAddressThatWasAsked(t *testing.T) {
	s := open(t, t.TempDir())
	neutral := s.call("POST", "/worlds", `{"name":"one","dialect":"neutral"}`, 201)
	sdk := s.call("POST", "/worlds", `{"name":"two","dialect":"sdk"}`, 201)
	for _, form := range []string{"prefixUrl", "url"} {
		for _, scheme := range []string{"http:", "https:"} {
			// Every page is looked at in two of the four forms, which have each part of an address once.
			everyPage := (form == "url") == (scheme == "https:")
			w := neutral
			if form == "prefixUrl" && everyPage {
				w = sdk // whose links are written with other words, and whose pages are the same
			}
			base := scheme + strings.TrimPrefix(w[form].(string), "http:")
			t.Run(fmt.Sprint(form, " ", scheme), func(t *testing.T) {
				v := newVisitor(t, base, w)
				v.publicHosts = w["dialect"] == "sdk"
				if n := v.visitOperations(); n < 90 {
					t.Errorf("only %d operations were answered", n)
				}
				for _, path := range []string{"/", "/console", "/docs", "/docs/", "/device", "/cc.xml", "/nowhere"} {
					v.visit(base + path)
				}
				if to := v.signIn(); to != strings.TrimPrefix(base, scheme+"//"+v.host(base))+"/console/sessions" {
					t.Errorf("signing in leads to %s", to)
				}
				for _, path := range []string{
					"/console/sessions", "/console/tokens", "/console/tokens/new", "/console/applications", "/console/password",
					"/generate/requests", "/vcs_a",
				} {
					if status, body := v.visit(base + path); status != http.StatusOK {
						t.Errorf("%s: %d %.300s", path, status, body)
					}
				}
				if everyPage {
					v.crawl()
				}
				v.check()
				v.visitTeam(w["env"].(map[string]any)["STOA_TEAM"].(string))
				t.Logf("%d links, %d addresses visited", len(v.links), len(v.seen))
			})
		}
	}
}

// visitTeam asks the host of a team, whose links keep it.
func (v *visitor) visitTeam(team string) {
	v.t.Helper()
	_, port, err := net.SplitHostPort(v.host(v.base))
	if err != nil {
		v.t.Fatal(err)
	}
	host := net.JoinHostPort(team+".localhost", port)
	base := strings.Replace(v.base, v.host(v.base), host, 1)
	of := *v
	of.base, of.own, of.links, of.seen = base, append(v.own, host), map[string]string{}, map[string]bool{}
	for _, path := range []string{"/api/v2/items?per_page=1", "/api/v2/groups", "/api/v2/teams", "/articles"} {
		// Its pages lead those who are not signed in there to do so.
		if status, body := of.visit(base + path); status >= http.StatusBadRequest {
			v.t.Errorf("%s: %d %.300s", base+path, status, body)
		}
	}
	of.check()
}

func (v *visitor) host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		v.t.Fatal(err)
	}
	return u.Host
}
