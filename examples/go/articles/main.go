// Command articles publishes release notes and prints where they can be read.
package main

import (
	"fmt"

	"stoa.dev/stoa/examples/go/stoa"
)

type tag struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

type item struct {
	Title string `json:"title"`
	Body  string `json:"body,omitempty"`
	Tags  []tag  `json:"tags,omitempty"`
	URL   string `json:"url,omitempty"`
}

func main() {
	token := stoa.Variable("STOA_TOKEN")
	notes := item{
		Title: "Release notes", Tags: []tag{{Name: "release", Versions: []string{"1.0"}}},
		Body: "# Changes\n\n- the porch has a thirteenth column\n",
	}
	stoa.Must(stoa.Call{Method: "POST", Path: "/api/v2/items", Token: token, Body: notes}.Do(&notes))
	var me struct {
		Items int `json:"items_count"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: "/api/v2/authenticated_user", Token: token}.Do(&me))
	fmt.Printf("%s is at %s; you have written %d articles\n", notes.Title, notes.URL, me.Items)
}
