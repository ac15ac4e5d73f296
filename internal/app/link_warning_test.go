package app_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// A server whose links do not lead its clients back says so, with the setting.
func TestLinkWarning(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		http, https, base, link string
		want                    string
	}{
		"loopback alone":    {"127.0.0.1:8080", "", "", "http://127.0.0.1:8080", ""},
		"a demo's https":    {"127.0.0.1:8080", "127.0.0.1:0", "", "http://127.0.0.1:8080", ""},
		"https":             {"127.0.0.1:8080", "127.0.0.1:8443", "", "http://127.0.0.1:8080", "also in answers"},
		"https for others":  {"127.0.0.1:8080", "0.0.0.0:8443", "", "http://127.0.0.1:8080", "their own loopback"},
		"http for others":   {"0.0.0.0:8080", "", "", "http://localhost:8080", "their own loopback"},
		"both for others":   {"192.0.2.1:80", "192.0.2.1:443", "", "http://192.0.2.1:80", "also in answers"},
		"it has an address": {"127.0.0.1:8080", "0.0.0.0:8443", "https://stoa.example.org", "", ""},
	} {
		c := app.DefaultConfig()
		c.Listen.HTTP, c.Listen.HTTPS, c.BaseURL = row.http, row.https, row.base
		got := c.Listen.LinkWarning(c.BaseURL, row.link)
		if !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The warning stands in the log of the start.
func TestLinkWarningAtStart(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Listen.HTTP = "0.0.0.0:0"
	var log strings.Builder
	a, err := app.New(t.Context(), app.Options{Config: c, LogTo: &log, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Listen(t.Context()); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if got := log.String(); strings.Count(got, "set base_url (STOA_BASE_URL)") != 1 {
		t.Errorf("the log is %s, want the setting once", got)
	}
}
