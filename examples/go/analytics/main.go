// Command analytics counts your projects and prints which campaign is tracked
// on the map.
package main

import (
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	token := stoa.Variable("STOA_TOKEN")
	var projects struct {
		Data struct {
			Projects []json.RawMessage `json:"projects"`
		} `json:"data"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: "/apis/v4/projects/v0", Token: token}.Do(&projects))
	fmt.Printf("%d projects\n", len(projects.Data.Projects))

	var campaign struct {
		Data struct {
			Name string `json:"name"`
		} `json:"data"`
	}
	at := "/apis/v4/map-rank-tracker/v0/campaigns/" + stoa.Variable("STOA_ANALYTICS_CAMPAIGN")
	stoa.Must(stoa.Call{Method: "GET", Path: at, Token: token}.Do(&campaign))
	fmt.Println("campaign", campaign.Data.Name)
}
