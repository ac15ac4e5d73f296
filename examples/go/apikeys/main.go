// Command apikeys replaces a key before it expires, and shows that the old one is
// worthless from that moment: it is only told the new key again, in case the answer
// got lost.
package main

import (
	"errors"
	"fmt"
	"log"
	"net/http"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	refresh := stoa.Call{
		Method: "POST", Path: "/v2/api-keys/refresh", Token: stoa.Variable("STOA_SCHEDULING_KEY"),
		Body: map[string]int{"apiKeyDaysValid": 60},
	}
	var answer struct {
		Data struct {
			Key string `json:"apiKey"`
		} `json:"data"`
	}
	stoa.Must(refresh.Do(&answer))
	fmt.Printf("the new key has %d characters and lives 60 days\n", len(answer.Data.Key))

	first := answer.Data.Key
	stoa.Must(refresh.Do(&answer))
	fmt.Printf("the same request gives the same key again: %v\n", answer.Data.Key == first)

	refresh.Body = map[string]int{"apiKeyDaysValid": 30}
	var status *stoa.Status
	if err := refresh.Do(nil); !errors.As(err, &status) || status.Code != http.StatusUnauthorized {
		log.Fatalf("the old key: %v, want 401", err)
	}
	fmt.Println("any other request with the old key is refused")
}
