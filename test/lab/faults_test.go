package lab_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/conformance"
)

// namedFault is one of the catalogue.
type namedFault struct {
	Service, Name, Description string
	Status                     int
	Operations                 []string
}

func (c *control) catalog(t *testing.T, query string) []namedFault {
	t.Helper()
	var out struct{ Faults []namedFault }
	a := c.call(t, http.MethodGet, "/faults/catalog"+query, "").want(t, http.StatusOK)
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatal(err)
	}
	return out.Faults
}

// fault adds a rule and returns its id.
func (w *world) fault(t *testing.T, rule string) string {
	t.Helper()
	a := w.control.call(t, http.MethodPost, w.path()+"/faults", rule).want(t, http.StatusCreated)
	id, _ := a.object(t)["id"].(string)
	return id
}

// hits are how often each rule was met.
func (w *world) hits(t *testing.T) []int {
	t.Helper()
	var out struct{ Faults []struct{ Hits int } }
	a := w.control.call(t, http.MethodGet, w.path()+"/faults", "").want(t, http.StatusOK)
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatal(err)
	}
	list := []int{}
	for _, f := range out.Faults {
		list = append(list, f.Hits)
	}
	return list
}

// TestCatalogueIsComplete checks numbers, names and operations.
func TestCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	all := open(t, t.TempDir()).catalog(t, "")
	var own, services = 0, map[string][]string{}
	common := []string{
		"unavailable", "internal", "rate_limited", "deadline_exceeded", "credential_expired", "credential_revoked",
		"scope_missing", "disk_full", "store_busy",
	}
	common = append(common, answerFaults()...)
	for _, f := range all {
		if f.Service == "forge" {
			continue
		}
		if slices.Contains(services[f.Service], f.Name) {
			t.Errorf("%s has %s twice", f.Service, f.Name)
		}
		services[f.Service] = append(services[f.Service], f.Name)
		if !slices.Contains(common, f.Name) {
			own++
			services[f.Service+" own"] = append(services[f.Service+" own"], f.Name)
		}
		if !regexp.MustCompile(`^[a-z][a-z_]+$`).MatchString(f.Name) || !strings.HasSuffix(f.Description, ".") {
			t.Errorf("%s %q: %q", f.Service, f.Name, f.Description)
		}
	}
	if own < 90 {
		t.Errorf("%d faults in the services' own words, want 90", own)
	}
	for _, m := range app.Services() {
		// The contract has letters up to M; later services add their words when they have some.
		if got := len(services[m.Name+" own"]); got < 6 && m.Letter <= "M" {
			t.Errorf("%s has %d faults of its own, want 6", m.Name, got)
		}
		if len(m.Routes) > 0 {
			checkOperations(t, m.Name, m.Routes, all)
		}
	}
	for service, names := range map[string][]string{
		"calendar": {"channel_gone"}, "pipelines": {"infrastructure_fail"}, "events": {"secondary_rate_limit"},
		"device": {"slow_down", "admin_policy_enforced"}, "kms": {"kms_unhealthy", "key_id_changed"},
		"generate": {
			"upload_chunk_lost", "resource_exhausted", "safety_block", "empty_candidate", "finish_max_tokens",
		},
	} {
		for _, name := range names {
			if !slices.Contains(services[service], name) {
				t.Errorf("%s has no %s", service, name)
			}
		}
	}
}

func checkOperations(t *testing.T, service string, routes []route.Route, all []namedFault) {
	t.Helper()
	for _, f := range all {
		for _, operation := range f.Operations {
			if f.Service == service && !slices.ContainsFunc(routes, func(r route.Route) bool { return r.Name == operation }) {
				t.Errorf("%s %s: there is no operation %s", service, f.Name, operation)
			}
		}
	}
}

// answerFaults change the answer of an operation that ran, and are the same for all
// services.
func answerFaults() []string { return []string{"wrong_content_type", "truncated_gzip", "stale_read"} }

// TestEveryFault causes each fault of the catalogue by a rule and checks status and
// envelope.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, `{"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"},"seed":1}`)
	for _, m := range app.Services() {
		for _, f := range c.catalog(t, "?service="+m.Name) {
			if len(m.Routes) == 0 || slices.Contains(answerFaults(), f.Name) {
				continue // over gRPC, or without an envelope
			}
			at := m.Routes[slices.IndexFunc(m.Routes, func(r route.Route) bool {
				return len(f.Operations) == 0 || slices.Contains(f.Operations, r.Name)
			})]
			if m.Name == "device" && at.Access == route.Required {
				continue // the demo has no token of a signed-in user for it
			}
			t.Run(m.Name+" "+f.Name, func(t *testing.T) {
				// Budgets of a minute are full again with every request.
				w.move(t, "advance", `{"by":"1m"}`)
				w.fault(t, fmt.Sprintf(`{"match":{"service":%q,"operation":%q},"deed":{"fault":%q}}`, m.Name, at.Name, f.Name))
				got := w.operate(t, m.Name, at)
				if f.Status != 0 && got.status != f.Status {
					t.Errorf("got %v, want %d", got, f.Status)
				}
				// Some run the operation, which need not write.
				runs := slices.Contains([]string{"disk_full", "store_busy", "infrastructure_fail"}, f.Name)
				inEnvelope := conformance.InEnvelope(m.Name, got.status, got.body)
				if f.Status != http.StatusOK && !(runs && got.status < 300) && !inEnvelope {
					t.Errorf("not in the envelope of %s: %v", m.Name, got)
				}
				if hits := w.hits(t); !slices.Equal(hits, []int{1}) {
					t.Errorf("hits %v, want one: %v", hits, got)
				}
				c.call(t, http.MethodDelete, w.path()+"/faults", "").want(t, http.StatusNoContent)
			})
		}
	}
}

// operate makes a request to an operation that reaches its handler.
func (w *world) operate(t *testing.T, service string, at route.Route) answer {
	t.Helper()
	values := map[string]string{"model": "stoa-script", "vcs": "github"}
	path := regexp.MustCompile(`\{([a-z_A-Z]+)(\.\.\.)?\}`).ReplaceAllStringFunc(at.Pattern, func(found string) string {
		if value, ok := values[strings.Trim(found, "{}.")]; ok {
			return value
		}
		return "1"
	})
	secret, body := "", ""
	switch service {
	case "apikeys":
		secret = w.Env["STOA_SCHEDULING_KEY"]
	case "pipelines":
		secret = w.Env["STOA_PIPELINE_TOKEN"]
	case "generate":
		secret, path = "-", path+"?key="+w.Env["STOA_MODEL_KEY"]
		body = `{"contents":[{"role":"user","parts":[{"text":"Hello, who are you?"}]}]}`
	case "snapshots":
		secret, path = "-", path+"?api_key="+w.Env["STOA_API_KEY"]+"&application_key="+w.Env["STOA_APP_KEY"]
	}
	if method := at.Method; method == http.MethodGet || method == http.MethodDelete {
		body = ""
	}
	return w.ask(t, at.Method, path, secret, body)
}

// TestFaultsAreTrueRefusals compares faults with refusals that can be caused.
func TestFaultsAreTrueRefusals(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, `{"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"},"seed":1}`)
	const device = "/device/code"
	for _, row := range []struct {
		service, fault, operation string
		// The request that is refused anyway.
		method, path, secret, body string
	}{
		{"tasks", "task_not_found", "tasks.get", "GET", "/tasks/v1/lists/@default/tasks/none", "", ""},
		{"tasks", "list_not_found", "tasklists.get", "GET", "/tasks/v1/users/@me/lists/none", "", ""},
		{"tasks", "page_token_invalid", "tasks.list", "GET", "/tasks/v1/lists/@default/tasks?pageToken=x", "", ""},
		{"calendar", "not_found", "calendar.calendars.get", "GET", "/calendar/v3/calendars/none", "", ""},
		{"events", "not_found", "get_repo", "GET", "/repos/none/none", "", ""},
		{"articles", "not_found", "comments.get", "GET", "/api/v2/comments/none", "", ""},
		{"pipelines", "project_not_found", "settings", "GET", "/api/v1.1/project/github/none/none/settings",
			w.Env["STOA_PIPELINE_TOKEN"], ""},
		{"labels", "name_required", "limits.getLabel", "GET", "/v2/limits/label", "", ""},
		{"device", "invalid_client", "device.code", "POST", device, "-", "client_id=none&scope=email"},
		{"apikeys", "days_contradict", "refresh", "POST", "/v2/api-keys/refresh", w.Env["STOA_SCHEDULING_KEY"],
			`{"apiKeyDaysValid":60,"apiKeyNeverExpires":true}`},
	} {
		t.Run(row.service+" "+row.fault, func(t *testing.T) {
			refused := w.ask(t, row.method, row.path, row.secret, row.body)
			w.fault(t, fmt.Sprintf(`{"match":{"service":%q,"operation":%q},"deed":{"fault":%q}}`,
				row.service, row.operation, row.fault))
			caused := w.ask(t, row.method, row.path, row.secret, row.body)
			if hits := w.hits(t); !slices.Equal(hits, []int{1}) {
				t.Errorf("hits %v, want one: %v", hits, caused)
			}
			c.call(t, http.MethodDelete, w.path()+"/faults", "").want(t, http.StatusNoContent)
			if refused.status != caused.status || string(refused.body) != string(caused.body) {
				t.Errorf("the fault is %v, the true refusal %v", caused, refused)
			}
			for name, values := range refused.header {
				// Names and counts of requests differ between any two.
				differs := strings.Contains(name, "Request-Id") || strings.Contains(name, "Remaining") ||
					strings.HasSuffix(name, "-Used")
				if !differs && !slices.Equal(values, caused.header[name]) {
					t.Errorf("%s is %q, in the true refusal %q", name, caused.header[name], values)
				}
			}
		})
	}
}

// TestFaultRules checks the calls of the API, isolation and reset.
func TestFaultRules(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	first, second := c.create(t, `{"name":"first"}`), c.create(t, `{"name":"second"}`)
	const rule = `{"match":{"service":"tasks"},"when":{"first":2},"deed":{"status":503,"headers":{"Retry-After":"9"}}}`
	id := first.fault(t, rule)
	if got := second.ask(t, http.MethodGet, tasksPath, "", ""); got.status != http.StatusOK {
		t.Errorf("another world: %v", got)
	}
	got := first.ask(t, http.MethodGet, tasksPath, "", "")
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") != "9" {
		t.Errorf("got %v %v", got, got.header)
	}
	// Rules stay while a world is closed.
	c.call(t, http.MethodPost, first.path()+"/sleep", "{}").want(t, http.StatusOK)
	if got := first.ask(t, http.MethodGet, tasksPath, "", ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("after sleeping: %v", got)
	}
	if got := first.ask(t, http.MethodGet, tasksPath, "", ""); got.status != http.StatusOK {
		t.Errorf("the third request: %v", got)
	}
	if hits := first.hits(t); !slices.Equal(hits, []int{2}) {
		t.Errorf("hits %v", hits)
	}
	c.call(t, http.MethodDelete, first.path()+"/faults/"+id, "").want(t, http.StatusNoContent)
	c.call(t, http.MethodDelete, first.path()+"/faults/"+id, "").want(t, http.StatusNotFound)
	first.fault(t, `{"match":{},"deed":{"fault":"internal"}}`)
	c.call(t, http.MethodPost, first.path()+"/reset", "{}").want(t, http.StatusOK)
	if hits := first.hits(t); len(hits) != 0 {
		t.Errorf("after a reset: %v", hits)
	}
	for _, bad := range []string{
		`{"match":{"servce":"tasks"},"deed":{"reset":true}}`, `{"match":{},"deed":{"fault":"none"}}`, `{}`,
		`{"match":{},"deed":{"delay":"soon"}}`,
	} {
		refused := c.call(t, http.MethodPost, first.path()+"/faults", bad).want(t, http.StatusBadRequest)
		inner, _ := refused.object(t)["error"].(map[string]any)
		if inner["code"] != "invalid" || inner["next"] == "" {
			t.Errorf("%s: %v", bad, refused)
		}
	}
	c.call(t, http.MethodGet, "/faults/catalog?service=none", "").want(t, http.StatusNotFound)
}
