// Command events follows a repository's activity as a polite client does: it
// remembers the ETag, and a feed without news costs nothing.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	first := feed("")
	var events []struct {
		Type  string `json:"type"`
		Actor struct {
			Login string `json:"login"`
		} `json:"actor"`
	}
	stoa.Must(json.NewDecoder(first.Body).Decode(&events))
	stoa.Must(first.Body.Close())
	for _, e := range events[:min(3, len(events))] {
		fmt.Println(e.Actor.Login, e.Type)
	}

	again := feed(first.Header.Get("ETag"))
	stoa.Must(again.Body.Close())
	if again.StatusCode != http.StatusNotModified {
		log.Fatalf("a feed without news answers %s, want 304", again.Status)
	}
	fmt.Printf("asked again: nothing new, next in %s s, %s requests left\n", again.Header.Get("X-Poll-Interval"), again.Header.Get("X-RateLimit-Remaining"))
}

func feed(etag string) *http.Response {
	r, err := http.NewRequest(http.MethodGet, stoa.URL("/repos/"+stoa.Variable("STOA_REPO")+"/events"), nil)
	stoa.Must(err)
	r.Header.Set("Authorization", "Bearer "+stoa.Variable("STOA_TOKEN"))
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	answer, err := http.DefaultClient.Do(r)
	stoa.Must(err)
	return answer
}
