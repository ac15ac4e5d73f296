package stoacontainer_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"stoa.dev/stoa/kit/testcontainers/go/stoacontainer"
)

// image is that of a release, or one that was built here.
func image() string {
	if name := os.Getenv("STOA_IMAGE"); name != "" {
		return name
	}
	return "stoa:" + stoacontainer.Version
}

func TestRun(t *testing.T) {
	lab, err := stoacontainer.Run(t.Context(), image())
	if err != nil {
		t.Fatal(err)
	}
	testcontainers.CleanupContainer(t, lab)
	for token, want := range map[string]int{lab.Token: 201, "guess": 401} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", lab.URL+"/lab/v1/worlds", strings.NewReader(`{"name":"one"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("status %d, want %d", answer.StatusCode, want)
		}
	}
	answer, err := http.Get(lab.URL + "/w/one/readyz")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != 200 {
		t.Errorf("the world answers %d", answer.StatusCode)
	}
}
