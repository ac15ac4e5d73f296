package undocumented_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab/undocumented"
)

func TestUndocumented(t *testing.T) {
	t.Parallel()
	k := undocumented.New()
	for text, want := range map[string]string{
		"tasks maxResults=1&pageToken=x&prettyPrint=true": "",
		"tasks maxresults=1&b=2&a=1&b=3":                  "?a ?b ?maxresults",
		"events per_page=3&page=2&no_such=1":              "?no_such",
		"generate key=abc&alt=sse":                        "",
		"pipelines limit=1&offset=2&circle-token=x":       "",
		"none a=1":  "",
		"tasks ":    "",
		"tasks %zz": "",
	} {
		service, query, _ := strings.Cut(text, " ")
		if got := strings.Join(k.Undocumented(service, query), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
