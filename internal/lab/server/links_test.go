package server_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/cookiejar"
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

// visitor asks a world at one of its addresses and collects every link in the
// answers.
type visitor struct {
	t      *testing.T
	base   string
	own    []string // hosts of the lab and the world
	env    map[string]string
	client *http.Client
	links  map[string]string // and where each was found
	seen   map[string]bool
}

// newVisitor has a cookie jar, trusts the lab's authority, and follows no redirect.
func newVisitor(t *testing.T, base string, world map[string]any) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(world["caFile"].(string))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	v := &visitor{t: t, base: base, env: map[string]string{}, links: map[string]string{}, seen: map[string]bool{}}
	v.client = &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	for name, value := range world["env"].(map[string]any) {
		v.env[name] = value.(string)
	}
	for _, address := range []string{world["url"].(string), world["prefixUrl"].(string)} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		v.own = append(v.own, u.Host)
	}
	return v
}

// send makes a request with every credential that a service may ask for.
func (v *visitor) send(method, address string, form url.Values) *http.Response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		for name, variable := range map[string]string{
			"SVC-API-KEY": "STOA_API_KEY", "SVC-APPLICATION-KEY": "STOA_APP_KEY",
			"Pipeline-Token": "STOA_PIPELINE_TOKEN", "X-Vendor-Api-Key": "STOA_MODEL_KEY",
		} {
			r.Header.Set(name, v.env[variable])
		}
		r.Header.Set("Authorization", "Bearer "+v.env["STOA_TOKEN"])
	}
	response, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	return response
}

// visit reads an answer and collects its links.
func (v *visitor) visit(address string) (status int, body []byte) {
	v.t.Helper()
	if v.seen[address] {
		return 0, nil
	}
	v.seen[address] = true
	response := v.send("GET", address, nil)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatalf("%s: %v", address, err)
	}
	here, err := url.Parse(address)
	if err != nil {
		v.t.Fatal(err)
	}
	add := func(link string) {
		to, err := here.Parse(link)
		if err != nil {
			v.t.Errorf("%s has the link %q: %v", address, link, err)
			return
		}
		if to.Fragment = ""; to.Scheme == "http" || to.Scheme == "https" {
			v.links[to.String()] = address
		}
	}
	if location := response.Header.Get("Location"); location != "" {
		add(location)
	}
	for _, header := range response.Header.Values("Link") {
		for _, found := range regexp.MustCompile(`<([^>]+)>`).FindAllStringSubmatch(header, -1) {
			add(found[1])
		}
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case kind == "text/html":
		for _, found := range regexp.MustCompile(`\s(?:href|src|action)="([^"]*)"`).FindAllSubmatch(body, -1) {
			add(html.UnescapeString(string(found[1])))
		}
	case strings.HasSuffix(kind, "json"):
		var document any
		if err := json.Unmarshal(body, &document); err != nil {
			v.t.Errorf("%s: %v", address, err)
		}
		texts(document, func(text string) {
			if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
				add(strings.Split(text, "{")[0]) // a URI template begins with an address
			}
		})
	default:
		for _, found := range regexp.MustCompile(`https?://[^\s"'<>]+`).FindAll(body, -1) {
			add(string(found))
		}
	}
	return response.StatusCode, body
}

// texts gives every text of a JSON document to f.
func texts(document any, f func(string)) {
	switch v := document.(type) {
	case string:
		f(v)
	case []any:
		for _, one := range v {
			texts(one, f)
		}
	case map[string]any:
		for name, one := range v {
			f(name)
			texts(one, f)
		}
	}
}

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
	page := regexp.MustCompile(`^/(console|docs|device|generate|cc\.xml|[a-z_]*articles|vcs_a)\b`)
	for {
		before := len(v.seen)
		for _, link := range slices.Sorted(maps.Keys(v.links)) {
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
		if !slices.Contains(v.own, u.Host) {
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
	w := s.call("POST", "/worlds", `{"name":"one","dialect":"neutral"}`, 201)
	for _, form := range []string{"prefixUrl", "url"} {
		for _, scheme := range []string{"http:", "https:"} {
			base := scheme + strings.TrimPrefix(w[form].(string), "http:")
			t.Run(fmt.Sprint(form, " ", scheme), func(t *testing.T) {
				v := newVisitor(t, base, w)
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
				v.crawl()
				v.check()
				t.Logf("%d links, %d addresses visited", len(v.links), len(v.seen))
			})
		}
	}
}

func (v *visitor) host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		v.t.Fatal(err)
	}
	return u.Host
}
