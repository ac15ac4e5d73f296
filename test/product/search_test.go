package product_test

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/test/program"
)

// TestSearchFindsWhatReadersMean runs the ranking of the documentation's search over its
// index: with typos, with other words, and guides before evidence.
func TestSearchFindsWhatReadersMean(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	script := read(t, root, "internal/console/manual/assets/manual.js")
	_, rank, _ := strings.Cut(script, "// rank: begin.")
	rank, _, found := strings.Cut(rank, "// rank: end.")
	if !found {
		t.Fatal("the script has no ranking between its marks")
	}
	w := httptest.NewRecorder()
	handler := manual.New(world.Blueprint(world.Options{}), app.Services(), "/style.css").Module().Handler
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/docs/search.json", nil))
	dir := t.TempDir()
	// Every line of the standard input is a query; node starts once for all of them.
	program := "//" + rank +
		"\nconst fs = require('fs');\n" +
		"const index = prepare(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')));\n" +
		"console.log(JSON.stringify(fs.readFileSync(0, 'utf8').split('\\n').map(query =>\n" +
		"  find(index, query).best.slice(0, 3).map(row => row[1].u))));\n"
	for name, text := range map[string]string{"rank.cjs": program, "index.json": w.Body.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wanted := searches()
	queries := slices.Sorted(maps.Keys(wanted))
	node := exec.CommandContext(t.Context(), "node", "rank.cjs", "index.json")
	node.Dir, node.Stdin = dir, strings.NewReader(strings.Join(queries, "\n"))
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var answers [][]string
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(queries) {
		t.Fatalf("%d answers to %d queries: %v\n%s", len(answers), len(queries), err, out)
	}
	for i, query := range queries {
		want, first := strings.CutSuffix(wanted[query], " first")
		if place := slices.Index(answers[i], want); place < 0 || first && place > 0 {
			t.Errorf("%s: want %s:\n%s", query, wanted[query], strings.Join(answers[i], "\n"))
		}
	}
}

// searches are queries with what is wanted among the first three, or first of all.
func searches() map[string]string {
	wanted := map[string]string{
		"reset password":  "/docs/faq#a-password-was-forgotten",
		"forgot password": "/docs/faq#a-password-was-forgotten",
		"bakup":           "/docs/operations-scale#durability-and-backup",
		"port in use":     "/docs/faq#the-port-is-in-use",
		"webhook":         "/docs/lab-requests#inboxes",
		"tasks.insert":    "/docs/reference/tasks#tasks.insert",
	}
	// Who knows the client finds the service.
	for query, service := range map[string]string{
		"github": "events", "octokit": "events", "PyGithub": "events", "circleci": "pipelines", "gemini": "generate",
		"openai": "generate", "langchain": "generate", "datadog": "snapshots", "qiita": "articles", "k8s": "kms",
		"deps.dev": "packages", "kubelogin": "device", "google calendar": "calendar", "@googleapis/tasks": "tasks",
	} {
		wanted[query] = "/docs/services/" + service + " first"
	}
	// The words that newcomers type lead to the page for newcomers at once.
	for query, page := range map[string]string{
		"curl": "/docs/getting-started", "install": "/docs/getting-started", "token": "/docs/faq#how-do-i-get-a-token",
		"tokens": "/docs/faq#how-do-i-get-a-token", "refresh": "/docs/services/apikeys", "fault": "/docs/lab-requests#faults",
		"clock": "/docs/lab-worlds#clocks", "time travel": "/docs/lab-worlds#clocks",
		"docker": "/docs/faq#does-it-run-in-docker", "webhook": "/docs/lab-requests#inboxes",
		"backup": "/docs/operations-scale#durability-and-backup", "https": "/docs/operations#tls",
		"proxy": "/docs/operations-scale#proxies", "offline": "/docs/faq#does-it-call-out",
		"postgres": "/docs/operations-scale#postgresql", "s3": "/docs/operations-scale#s3",
		"password": "/docs/faq#a-password-was-forgotten", "reset": "/docs/lab-worlds#worlds",
		"rate limit": "/docs/faq#what-does-429-mean", "429": "/docs/faq#what-does-429-mean",
		"fork": "/docs/lab-worlds#worlds", "snapshot": "/docs/services/snapshots", "login": "/docs/operations-signin",
		"errors": "/docs/faq#a-request-was-refused-and-i-do-not-see-why", "metrics": "/docs/operations#metrics",
		"organization": "/docs/users#organizations", "team": "/docs/users#teams", "users": "/docs/users",
		"git push": "/docs/services/forge#git-over-http", "upgrade": "/docs/operations-scale#upgrade",
	} {
		wanted[query] = page + " first"
	}
	return wanted
}
