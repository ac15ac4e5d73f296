package product_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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
	program := "//" + rank +
		"\nconst index = prepare(JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8')));\n" +
		"console.log(find(index, process.argv[3]).best.slice(0, 3).map(row => row[1].u).join('\\n'));\n"
	for name, text := range map[string]string{"rank.cjs": program, "index.json": w.Body.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	search := func(query string) string {
		node := exec.CommandContext(t.Context(), "node", "rank.cjs", "index.json", query)
		node.Dir = dir
		out, err := node.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", query, err, out)
		}
		return string(out)
	}
	for query, want := range map[string]string{
		"reset password":  "/docs/faq#a-password-was-forgotten",
		"forgot password": "/docs/faq#a-password-was-forgotten",
		"bakup":           "/docs/operations-scale#durability-and-backup",
		"port in use":     "/docs/faq#the-port-is-in-use",
		"webhook":         "/docs/lab-requests#inboxes",
		"tasks.insert":    "/docs/reference/tasks#tasks.insert",
	} {
		if got := search(query); !strings.Contains("\n"+got, "\n"+want+"\n") {
			t.Errorf("%s: want %s among the first:\n%s", query, want, got)
		}
	}
	// Who knows the client finds the service.
	for query, want := range map[string]string{
		"github": "events", "octokit": "events", "PyGithub": "events", "circleci": "pipelines", "gemini": "generate",
		"openai": "generate", "langchain": "generate", "datadog": "snapshots", "qiita": "articles", "k8s": "kms",
		"deps.dev": "packages", "kubelogin": "device", "google calendar": "calendar", "@googleapis/tasks": "tasks",
	} {
		if got, _, _ := strings.Cut(search(query), "\n"); got != "/docs/services/"+want {
			t.Errorf("%s: %s comes first, want the page of %s", query, got, want)
		}
	}
	// The words that newcomers type lead to the page for newcomers at once.
	for query, want := range map[string]string{
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
		if got, _, _ := strings.Cut(search(query), "\n"); got != want {
			t.Errorf("%s: %s comes first, want %s", query, got, want)
		}
	}
}
