package manual_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// site is the manual with every service that has a description, and one that has
// neither page nor description.
func site(t *testing.T) http.Handler {
	t.Helper()
	var modules []module.Module
	names, err := fs.Glob(docs.Files(), "openapi/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		service := strings.TrimSuffix(path.Base(name), ".json")
		modules = append(modules, module.Module{
			Name: service, Title: "Service " + service, Letter: "X",
			Example: module.Example{Shell: firstCalls()[service]},
		})
	}
	modules = append(modules, module.Module{Name: "kms", Title: "Key management"}) // it has a page only
	modules = append(modules, module.Module{Name: "unwritten", Title: "Unwritten"})
	return manual.New(world.Blueprint(world.Options{}), modules, "/console/style.css").Module().Handler
}

func firstCalls() map[string]string {
	return map[string]string{
		"snapshots": `curl -H "SVC-API-KEY: $STOA_API_KEY" -H "SVC-APPLICATION-KEY: $STOA_APP_KEY" ` +
			`"$STOA_URL/api/v1/validate"`,
		"generate": `curl "$STOA_URL/v1beta/models?key=$STOA_MODEL_KEY"`,
		"articles": `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/api/v2/items"`,
		"tasks":    `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/tasks/v1/lists/@default/tasks"`,
	}
}

func get(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

var reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// TestLinks walks from the first page to everything it can reach: every link
// leads to something, every anchor exists, and every page of the folder is
// reached.
func TestLinks(t *testing.T) {
	t.Parallel()
	h := site(t)
	bodies := map[string]string{}
	for queue := []string{"/docs/"}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if _, seen := bodies[at]; seen {
			continue
		}
		w := get(h, "GET", at)
		if w.Code != http.StatusOK {
			t.Errorf("%s answers %d", at, w.Code)
		}
		bodies[at] = w.Body.String()
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		for _, found := range reference.FindAllStringSubmatch(w.Body.String(), -1) {
			u, err := url.Parse(strings.ReplaceAll(found[1], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %q: %v", at, found[1], err)
				continue
			}
			if u.Scheme == "" && strings.HasPrefix(u.Path, "/docs/") {
				queue = append(queue, u.Path)
			} else if u.Path != "" && u.Scheme == "" && !strings.HasPrefix(u.Path, "/console") {
				t.Errorf("%s links to %s, which is outside", at, found[1])
			}
		}
	}
	checkAnchors(t, bodies)
	err := fs.WalkDir(docs.Files(), ".", func(file string, d fs.DirEntry, err error) error {
		name, page := strings.CutSuffix(file, ".md")
		if err != nil || d.IsDir() || !page || path.Base(name) == "template" || strings.HasPrefix(name, "adr/0") {
			return err
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, "index"), "README")
		if _, reached := bodies["/docs/"+name]; !reached {
			t.Errorf("no link leads to %s", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkAnchors checks that every fragment exists on the page it leads to.
func checkAnchors(t *testing.T, bodies map[string]string) {
	t.Helper()
	for at, body := range bodies {
		for _, found := range reference.FindAllStringSubmatch(body, -1) {
			u, err := url.Parse(found[1])
			if err != nil || u.Fragment == "" || u.Scheme != "" {
				continue
			}
			target := at
			if u.Path != "" {
				target = u.Path
			}
			if !strings.Contains(bodies[target], `id="`+u.Fragment+`"`) {
				t.Errorf("%s links to %s, where nothing is called %s", at, target, u.Fragment)
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	h := site(t)
	for _, row := range []struct {
		name, method, target string
		status               int
		kind, want           string
	}{
		{"first page", "GET", "/docs/", 200, "text/html", "Start here"},
		{"without the slash", "GET", "/docs", 301, "", ""},
		{"a page", "GET", "/docs/operations", 200, "text/html", "Outbound connections"},
		{"a service", "GET", "/docs/services/tasks", 200, "text/html", "API reference"},
		{"its failures", "GET", "/docs/services/tasks", 200, "text/html", `href="/docs/faults#tasks"`},
		{"of one without HTTP", "GET", "/docs/services/kms", 200, "text/html", `href="/docs/faults#kms"`},
		{"a reference", "GET", "/docs/reference/tasks", 200, "text/html", "/tasks/v1/lists/{tasklist}/tasks"},
		{"a description", "GET", "/docs/openapi/tasks.json", 200, "application/json", `"openapi": "3.1.0"`},
		{"a seed file", "GET", "/docs/world.schema.json", 200, "application/json", `"taskLists"`},
		{"a drawing", "GET", "/docs/layers.svg", 200, "image/svg+xml", "<svg"},
		{"a folder's own page", "GET", "/docs/adr/", 200, "text/html", "Decision records"},
		{"nothing there", "GET", "/docs/weather", 404, "text/html", "no page at this address"},
		{"outside the folder", "GET", "/docs/..%2Fgo.mod", 404, "text/html", "no page"},
		{"the reference of a service without HTTP", "GET", "/docs/reference/kms", 303, "text/html", "/docs/services/kms"},
		{"no such reference", "GET", "/docs/reference/weather", 404, "text/html", "no page"},
		{"a service without a description", "GET", "/docs/reference/unwritten", 404, "text/html", "no page"},
		{"a source file", "GET", "/docs/embed.go", 404, "text/html", "no page"},
		{"wrong method", "POST", "/docs/operations", 405, "text/html", "read with GET"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := get(h, row.method, row.target)
			kind := w.Header().Get("Content-Type")
			if w.Code != row.status || !strings.HasPrefix(kind, row.kind) || !strings.Contains(w.Body.String(), row.want) {
				t.Errorf("%d %s, want %d %s with %q\n%.300s", w.Code, kind, row.status, row.kind, row.want, w.Body)
			}
		})
	}
}

// TestNothingFromOutside: pages load their own sheet, pictures and script, and
// the policy forbids the rest.
func TestNothingFromOutside(t *testing.T) {
	t.Parallel()
	h := site(t)
	loads := regexp.MustCompile(`(?:src|<link[^>]*href)="([^"]*)"`)
	for _, target := range []string{
		"/docs/", "/docs/architecture", "/docs/benchmarks", "/docs/services/snapshots", "/docs/reference/tasks",
		"/docs/nowhere",
	} {
		w := get(h, "GET", target)
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", target, policy)
		}
		if !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "connect-src 'self';") {
			t.Errorf("%s: policy %q, want scripts and requests of this server only", target, policy)
		}
		if strings.Contains(w.Body.String(), "style=") || strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("%s holds inline styles or scripts", target)
		}
		for _, found := range loads.FindAllStringSubmatch(w.Body.String(), -1) {
			ours := strings.HasPrefix(found[1], "/docs/") || strings.HasPrefix(found[1], "/console/style.css")
			if !ours && found[1] != "/console/icon.svg" {
				t.Errorf("%s loads %s", target, found[1])
			}
		}
	}
}

// TestAlignedColumns: numbers stand to the right without a style in the text.
func TestAlignedColumns(t *testing.T) {
	t.Parallel()
	if body := get(site(t), "GET", "/docs/benchmarks").Body.String(); !strings.Contains(body, `<td class="right">`) {
		t.Error("no column of the benchmarks is aligned")
	}
}

// TestForms: what a page prints is what its form begins with, and the form says
// which variable holds the credential.
func TestForms(t *testing.T) {
	t.Parallel()
	h := site(t)
	for service, wants := range map[string][]string{
		"tasks": {
			"&#34;title&#34;: &#34;Errands&#34;", "<code>STOA_TOKEN</code>", `data-in="bearer"`,
			`name="tasklist" data-in="path" value="@default"`, "Sweep the steps",
		},
		"snapshots": {
			"<code>STOA_API_KEY</code>", "<code>STOA_APP_KEY</code>", `id="credential-1"`,
			`data-name="SVC-APPLICATION-KEY"`,
		},
		"generate": {
			"<code>STOA_MODEL_KEY</code>", `data-in="query" data-name="key"`, `value="stoa-script"`,
			"&#34;text&#34;: &#34;Hello&#34;",
		},
		"labels":   {`data-in="bearer"`, `name="name" data-in="query" value="limits/label"`},
		"calendar": {"&#34;summary&#34;: &#34;Lunch&#34;", "&#34;items&#34;: [", "&#34;type&#34;: &#34;web_hook&#34;"},
		"device":   {"client_id=$STOA_DEVICE_CLIENT_ID&amp;scope=video.readonly"},
		"articles": {`name="item_id" data-in="path" value="$STOA_ARTICLE"`, `data-variable="STOA_TOKEN"`},
		"packages": {`name="name" data-in="path" value="@stoa/colonnade"`},
	} {
		body := get(h, "GET", "/docs/reference/"+service).Body.String()
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s", service, want)
			}
		}
		for _, found := range regexp.MustCompile(`value="[^"]*\$([^"]*)"`).FindAllStringSubmatch(body, -1) {
			if !strings.HasPrefix(found[1], "STOA_") && found[1] != "NOW" && found[1] != "HOUR_AGO" {
				t.Errorf("%s puts a variable into a field that no script knows: $%s", service, found[1])
			}
		}
	}
}

func TestConditionalDescription(t *testing.T) {
	t.Parallel()
	h := site(t)
	etag := get(h, "GET", "/docs/openapi/tasks.json").Header().Get("ETag")
	r := httptest.NewRequest("GET", "/docs/openapi/tasks.json", nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if etag == "" || w.Code != http.StatusNotModified {
		t.Errorf("second answer with %q is %d, want 304", etag, w.Code)
	}
}

// TestExamples: every value and body that a form begins with belongs to an
// operation.
func TestExamples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("assets/examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Parameters                      map[string]string
		Paths, Queries, Bodies, Answers map[string]any
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for service, own := range all {
		description, err := fs.ReadFile(docs.Files(), "openapi/"+service+".json")
		if err != nil {
			t.Error(err)
		}
		for _, list := range []map[string]any{own.Paths, own.Queries, own.Bodies, own.Answers} {
			for name := range list {
				if !strings.Contains(string(description), `"operationId": "`+name+`"`) {
					t.Errorf("%s has no operation %s", service, name)
				}
			}
		}
		for name := range own.Parameters {
			if !strings.Contains(string(description), `"name": "`+name+`"`) {
				t.Errorf("%s has no parameter %s", service, name)
			}
		}
	}
}

// TestAnswersHaveSamples: every answer with a body is shown as one, or it is said what comes.
func TestAnswersHaveSamples(t *testing.T) {
	t.Parallel()
	h := site(t)
	row := regexp.MustCompile(`<tr><th scope="row">2\d\d</th><td>(.*?)</td></tr>`)
	for _, service := range described(t) {
		body := get(h, "GET", "/docs/reference/"+service).Body.String()
		operation := ""
		for _, part := range strings.Split(body, `<details class="operation" id="`)[1:] {
			operation, part, _ = strings.Cut(part, `"`)
			found := row.FindStringSubmatch(strings.ReplaceAll(part, "\n", " "))
			if found == nil {
				continue // it redirects, or its answers are refusals
			}
			if text := found[1]; text == "OK" || text == "Created" || text == "Accepted" || text == "" {
				t.Errorf("%s %s: the answer is empty", service, operation)
			}
		}
	}
}

func described(t *testing.T) (services []string) {
	t.Helper()
	names, err := fs.Glob(docs.Files(), "openapi/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		services = append(services, strings.TrimSuffix(path.Base(name), ".json"))
	}
	return services
}

// TestTabs: blocks that say the same in different languages become tabs, and steps that follow each other do not.
func TestTabs(t *testing.T) {
	t.Parallel()
	h := site(t)
	block := regexp.MustCompile(`<div class="code" data-language="([^"]*)"( data-program)?>`)
	for target, wants := range map[string][]string{
		"/docs/services/tasks":    {"Go data-program", "JavaScript data-program", "Shell"},
		"/docs/services/generate": {"curl data-program", "Python data-program"},
		"/docs/kits":              {"Shell", "Python data-program"},
		"/docs/faults":            {"YAML", "Shell"},
		"/docs/reference/tasks":   {"curl data-program", "Go data-program", "JavaScript data-program", "Python data-program"},
	} {
		found := map[string]bool{}
		for _, one := range block.FindAllStringSubmatch(get(h, "GET", target).Body.String(), -1) {
			found[one[1]+one[2]] = true
		}
		for _, want := range wants {
			if !found[want] {
				t.Errorf("%s lacks a block %s: %v", target, want, found)
			}
		}
		if found["Shell data-program"] || found["YAML data-program"] {
			t.Errorf("%s makes a step a tab: %v", target, found)
		}
	}
}

// TestContents: every page stands under a heading that says what it is about, and the further pages of a service
// below it, where it is read.
func TestContents(t *testing.T) {
	t.Parallel()
	h := site(t)
	first := get(h, "GET", "/docs/").Body.String()
	for _, heading := range []string{"In depth", "More"} {
		if strings.Contains(first, "<h2>"+heading+"</h2>") {
			t.Errorf("pages are gathered under %q: give each a heading in contents.go", heading)
		}
	}
	if want := `<a href="/docs/recipes"`; strings.Count(first, want) < 2 {
		t.Errorf("%s is not both in the list of contents and on the first page", want)
	}
	const batches = `class="inner"><a href="/docs/services/generate-batches"`
	if strings.Contains(first, batches) {
		t.Error("the first page lists the further pages of a service")
	}
	for _, target := range []string{
		"/docs/services/generate", "/docs/services/generate-batches", "/docs/reference/generate",
	} {
		if !strings.Contains(get(h, "GET", target).Body.String(), batches) {
			t.Errorf("%s does not list the service's further pages", target)
		}
	}
}
