package releases_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/events/releases"
)

// TestPayload: a release shows where the server is reached now.
func TestPayload(t *testing.T) {
	t.Parallel()
	facts := `{"Release":{"ID":7,"Tag":"v1/a b","Author":{"ID":0,"Name":"ci[bot]"},"PublishedAt":"2026-03-01T10:00:00Z"}}`
	got, err := releases.Payload([]byte(facts), "http://x/api/v3", "ada/stoa")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"action":"published"`, `"url":"http://x/api/v3/repos/ada/stoa/releases/7"`, `"type":"Bot"`,
		`"tarball_url":"http://x/api/v3/repos/ada/stoa/tarball/refs/tags/v1/a%20b"`,
		`"html_url":"http://x/ada/stoa/releases/tag/v1/a%20b"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if _, err := releases.Payload([]byte("["), "", ""); err == nil {
		t.Error("broken facts are taken")
	}
}
