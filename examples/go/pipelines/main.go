// Command pipelines runs the jobs of a branch, waits for the first one and says
// how it went.
package main

import (
	"fmt"
	"log"
	"time"

	"stoa.dev/stoa/examples/go/stoa"
)

type job struct {
	Number    int    `json:"build_num"`
	Name      string `json:"job_name"`
	Lifecycle string `json:"lifecycle"`
	Status    string `json:"status"`
	Millis    int    `json:"build_time_millis"`
	URL       string `json:"build_url"`
}

func main() {
	header := map[string]string{"Pipeline-Token": stoa.Variable("STOA_PIPELINE_TOKEN"), "Accept": "application/json"}
	project := "/api/v1.1/project/vcs_a/" + stoa.Variable("STOA_REPO")

	var j job
	stoa.Must(stoa.Call{Method: "POST", Path: project + "/tree/main", Header: header, Body: struct{}{}}.Do(&j))
	for range 600 {
		if j.Lifecycle == "finished" {
			fmt.Printf("job %d (%s): %s after %d ms, to be read at %s\n", j.Number, j.Name, j.Status, j.Millis, j.URL)
			return
		}
		time.Sleep(100 * time.Millisecond)
		stoa.Must(stoa.Call{Method: "GET", Path: fmt.Sprintf("%s/%d", project, j.Number), Header: header}.Do(&j))
	}
	log.Fatalf("job %d is still %s", j.Number, j.Status)
}
