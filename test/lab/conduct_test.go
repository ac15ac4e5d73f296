package lab_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestConduct asks for the report of a world in every form.
func TestConduct(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	c.call(t, http.MethodPost, "/worlds", `{"name":"judged","from":"empty"}`).want(t, http.StatusCreated)
	var rules struct {
		Rules []struct{ ID, Service, Severity, Title, Contract string }
	}
	listed := c.call(t, http.MethodGet, "/conduct/rules", "").want(t, http.StatusOK)
	if err := json.Unmarshal(listed.body, &rules); err != nil {
		t.Fatal(err)
	}
	if len(rules.Rules) < 40 || rules.Rules[0].Service != "*" || rules.Rules[0].Contract == "" {
		t.Errorf("%d rules", len(rules.Rules))
	}
	const path = "/worlds/judged/conduct"
	var verdict struct {
		Clean    *bool
		Findings []any
	}
	if err := json.Unmarshal(c.call(t, http.MethodGet, path, "").want(t, http.StatusOK).body, &verdict); err != nil {
		t.Fatal(err)
	}
	if verdict.Clean == nil || !*verdict.Clean || verdict.Findings == nil || len(verdict.Findings) > 0 {
		t.Errorf("a world that was not asked: %+v", verdict)
	}
	for format, media := range map[string]string{
		"json": "application/json", "text": "text/plain", "html": "text/html", "junit": "application/xml",
		"sarif": "application/sarif+json",
	} {
		a := c.call(t, http.MethodGet, path+"?format="+format, "").want(t, http.StatusOK)
		if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, media) || len(a.body) == 0 {
			t.Errorf("%s: %s, %d bytes", format, got, len(a.body))
		}
	}
	for _, query := range []string{"?format=pdf", "?silence=no.rule=r", "?silence=retry-after"} {
		c.call(t, http.MethodGet, path+query, "").want(t, http.StatusBadRequest)
	}
	c.call(t, http.MethodGet, "/worlds/none/conduct", "").want(t, http.StatusNotFound)
}
