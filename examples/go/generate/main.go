// Command generate streams an answer word by word.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"

	"stoa.dev/stoa/examples/go/stoa"
)

type content struct {
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

func main() {
	question := []byte(`{"contents":[{"parts":[{"text":"Tell me a story"}]}]}`)
	at := stoa.URL("/v1beta/models/stoa-script:streamGenerateContent?alt=sse&key=" + stoa.Variable("STOA_MODEL_KEY"))
	answer, err := http.Post(at, "application/json", bytes.NewReader(question))
	stoa.Must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		log.Fatal(answer.Status)
	}
	words := 0
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var chunk struct {
			Candidates []struct {
				Content content `json:"content"`
			} `json:"candidates"`
		}
		stoa.Must(json.Unmarshal([]byte(text), &chunk))
		for _, c := range chunk.Candidates {
			for _, p := range c.Content.Parts {
				fmt.Print(p.Text)
				words += len(strings.Fields(p.Text))
			}
		}
	}
	fmt.Printf("\n(%d words)\n", words)
}
