// Command labels checks a label's title against the server's limits before
// anything is sent.
package main

import (
	"fmt"
	"log"
	"os"
	"unicode/utf8"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	title := "Reviewed by the council of the stoa"
	if len(os.Args) > 1 {
		title = os.Args[1]
	}
	var limits struct {
		MaxTitleLength int `json:"maxTitleLength"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: "/v2/limits/label?name=limits/label", Token: stoa.Variable("STOA_TOKEN")}.Do(&limits))
	if n := utf8.RuneCountInString(title); n > limits.MaxTitleLength {
		log.Fatalf("the title has %d characters, the limit is %d", n, limits.MaxTitleLength)
	}
	fmt.Printf("%q fits: %d of %d characters\n", title, utf8.RuneCountInString(title), limits.MaxTitleLength)
}
