package redirects_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/redirects"
)

func TestProblem(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://app.example/cb", "http://127.0.0.1:8080/cb", "http://localhost/", "http://[::1]/", "com.example.app:/cb",
		"/done?x=1",
	} {
		if problem := redirects.Problem(good); problem != "" {
			t.Errorf("%s: %s", good, problem)
		}
	}
	for bad, want := range map[string]string{
		"": "absolute", "//host": "absolute", `/\host`: "absolute", "https://h/#f": "absolute", "https://a@b/": "no user",
		"https://*.example/": "host", "http://app.example/": "https", "javascript:alert(1)": "scheme",
	} {
		if problem := redirects.Problem(bad); !strings.Contains(problem, want) {
			t.Errorf("%s: %q, want a word about %s", bad, problem, want)
		}
	}
}

func TestWithoutLoopbackPort(t *testing.T) {
	t.Parallel()
	if got, ok := redirects.WithoutLoopbackPort("http://127.0.0.1:8080/cb?x=1"); !ok || got != "http://127.0.0.1/cb?x=1" {
		t.Errorf("got %s, %t", got, ok)
	}
	for _, uri := range []string{"https://127.0.0.1:8080/cb", "http://app.example:80/", "http://127.0.0.1/cb"} {
		if got, ok := redirects.WithoutLoopbackPort(uri); ok {
			t.Errorf("%s: got %s", uri, got)
		}
	}
}
