// Command snapshots draws the load of the last day as a picture, waits until
// it is there, and says how large it is.
package main

import (
	"fmt"
	"image/png"
	"log"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	now := time.Now().Unix()
	query := url.Values{
		"metric_query": {"avg:system.cpu.user{*} by {host}"}, "title": {"Load"},
		"start": {strconv.FormatInt(now-86400, 10)}, "end": {strconv.FormatInt(now, 10)},
	}
	var made struct {
		URL string `json:"snapshot_url"`
	}
	stoa.Must(stoa.Call{
		Method: "GET", Path: "/api/v1/graph/snapshot?" + query.Encode(),
		Header: map[string]string{"SVC-API-KEY": stoa.Variable("STOA_API_KEY"), "SVC-APPLICATION-KEY": stoa.Variable("STOA_APP_KEY")},
	}.Do(&made))

	for range 100 {
		answer, err := http.Get(made.URL)
		stoa.Must(err)
		if answer.Header.Get("Content-Type") == "image/png" {
			picture, err := png.Decode(answer.Body)
			stoa.Must(err)
			stoa.Must(answer.Body.Close())
			fmt.Printf("the load as a picture: %d by %d pixels\n", picture.Bounds().Dx(), picture.Bounds().Dy())
			return
		}
		stoa.Must(answer.Body.Close())
		time.Sleep(100 * time.Millisecond)
	}
	log.Fatal("the picture is not there after ten seconds")
}
