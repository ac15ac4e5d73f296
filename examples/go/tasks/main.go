// Command tasks turns a checklist into a task list, ticks the first item off
// and prints what is left, in order.
package main

import (
	"fmt"
	"net/url"
	"strings"

	"stoa.dev/stoa/examples/go/stoa"
)

type task struct {
	ID     string `json:"id,omitempty"`
	Title  string `json:"title,omitempty"`
	Status string `json:"status,omitempty"`
}

func main() {
	token := stoa.Variable("STOA_TOKEN")
	var list task
	stoa.Must(stoa.Call{Method: "POST", Path: "/tasks/v1/users/@me/lists", Token: token, Body: task{Title: "Morning"}}.Do(&list))
	at := "/tasks/v1/lists/" + list.ID + "/tasks"

	var last task
	for _, title := range []string{"Fetch water", "Sweep the steps", "Light the lamps"} {
		query := url.Values{}
		if last.ID != "" {
			query.Set("previous", last.ID)
		}
		stoa.Must(stoa.Call{Method: "POST", Path: at + "?" + query.Encode(), Token: token, Body: task{Title: title}}.Do(&last))
	}

	first := tasks(at, token)[0]
	stoa.Must(stoa.Call{Method: "PATCH", Path: at + "/" + first.ID, Token: token, Body: task{Status: "completed"}}.Do(nil))
	var open []string
	for _, t := range tasks(at+"?showCompleted=false", token) {
		open = append(open, t.Title)
	}
	fmt.Printf("%s: %s is done, open are %s\n", list.Title, first.Title, strings.Join(open, ", "))
}

func tasks(at, token string) []task {
	var page struct {
		Items []task `json:"items"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: at, Token: token}.Do(&page))
	return page.Items
}
