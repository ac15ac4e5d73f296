package monitoring_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/prometheus/promql/parser"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/world"
)

const (
	alertFile     = "../../packaging/prometheus/alerts.yaml"
	dashboardFile = "../../packaging/grafana/stoa.json"
	runbookFile   = "../../docs/runbook.md"
)

type alert struct {
	Alert, Expr, For string
	Labels           map[string]string
	Annotations      struct{ Summary, Runbook string }
}

func alerts(t *testing.T) []alert {
	t.Helper()
	text, err := os.ReadFile(alertFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there are no alerts")
	}
	return all
}

// shown are the metrics of a server that has answered a request of a service.
func shown(t *testing.T) string {
	t.Helper()
	c := app.DefaultConfig()
	c.Data, c.Listen.HTTP = t.TempDir(), "127.0.0.1:0"
	a, err := app.New(t.Context(), app.Options{Config: c, Version: "test", LogTo: io.Discard, NoHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, m := range a.Modules() {
		if m.Start != nil {
			if err := m.Start(t.Context()); err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
		}
	}
	enqueue(t, a.World())
	generate(t, a)
	var page string
	for _, path := range []string{"/events", "/readyz", "/metrics"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		a.Handler().ServeHTTP(w, r)
		page = w.Body.String()
	}
	return page
}

// generate asks a model, which spends tokens.
func generate(t *testing.T, a *app.App) {
	t.Helper()
	run := func(command, name string, values map[string][]string) string {
		made, err := a.RunCommand(t.Context(), command, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		value, _ := out[name].(string)
		return value
	}
	run("user add", "", map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}})
	key := run("key issue", "key", map[string][]string{"user": {"ada"}, "service": {"generate"}})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1beta/models/stoa-script:generateContent?key="+key,
		strings.NewReader(`{"contents":[{"parts":[{"text":"hello"}]}]}`))
	r.Header.Set("Content-Type", "application/json")
	a.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// enqueue leaves a job and a message that wait: without one there is none to show.
func enqueue(t *testing.T, w *world.World) {
	t.Helper()
	w.Jobs.Register(jobs.Define(jobs.Kind[struct{}]{Name: "test.wait", MaxAttempts: 1,
		Run: func(context.Context, jobs.Job, struct{}) error { return nil }}))
	err := w.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		if _, err := w.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: "test.wait", Payload: struct{}{}}); err != nil {
			return err
		}
		_, err := w.Deliver.Enqueue(ctx, tx, deliver.Message{
			Service: "test", Channel: "test/1", Owner: "1", URL: "https://receiver.example.com/x", Body: []byte("{}"),
			Deadline: w.Clock.Now().Add(time.Hour),
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// metricsOf are the names in an expression.
func metricsOf(t *testing.T, expression string) []string {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return nil
	}
	var names []string
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			names = append(names, v.Name)
		}
		return nil
	})
	if len(names) == 0 {
		t.Errorf("%s looks at no metric", expression)
	}
	return names
}

func wantShown(t *testing.T, page, where, expression string) {
	t.Helper()
	for _, name := range metricsOf(t, expression) {
		family := strings.TrimSuffix(name, "_bucket")
		if name != "up" && !strings.Contains(page, "# TYPE "+family+" ") {
			t.Errorf("%s looks at %s, which the server does not show", where, name)
		}
	}
}

// TestAlerts: every rule is well formed, looks at metrics that exist, and has its
// section in the run-book.
func TestAlerts(t *testing.T) {
	page := shown(t)
	runbook, err := os.ReadFile(runbookFile)
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Count(string(runbook), "\n## ")
	all := alerts(t)
	for _, a := range all {
		wantShown(t, page, a.Alert, a.Expr)
		if a.For == "" || a.Labels["severity"] == "" || a.Annotations.Summary == "" ||
			a.Annotations.Runbook != "runbook.md#"+strings.ToLower(a.Alert) {
			t.Errorf("%+v lacks a part", a)
		}
		if !strings.Contains(string(runbook), "\n## "+a.Alert+"\n") {
			t.Errorf("%s has no section in the run-book", a.Alert)
		}
	}
	if sections != len(all) {
		t.Errorf("the run-book has %d sections for %d alerts", sections, len(all))
	}
}

// TestDashboard: every panel looks at metrics that exist.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil || len(dashboard.Panels) == 0 {
		t.Fatalf("%d panels, %v", len(dashboard.Panels), err)
	}
	page := shown(t)
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			wantShown(t, page, p.Title, target.Expr)
		}
	}
}
