package world

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// RecordVariable names a file that takes a line for every operation a client
// drove; make sdk sets it.
const RecordVariable = "STOA_SDK_RECORD"

// operation is one route of a service answered with one class of status.
type operation struct{ Service, Route, Status string }

// tally is how often each was answered.
type tally map[operation]int

// Driven is one line of the record.
type Driven struct {
	// Client is "go", "npm" or "python".
	Client  string `json:"client"`
	Service string `json:"service"`
	Route   string `json:"route"`
	// Status is a class, as in "2xx".
	Status string `json:"status"`
	Count  int    `json:"count"`
}

var answered = regexp.MustCompile(`(?m)^stoa_http_request_seconds_count\{route="([^"]*)",service="([^"]*)",status="([^"]*)"\} (\d+)`)

// listens is the address that the server took, which the data folder keeps: its own may
// be a name that only its clients know.
func (s *Server) listens() string {
	text, err := os.ReadFile(filepath.Join(s.Data, "listen.address"))
	if taken, _, ok := strings.Cut(string(text), " "); err == nil && ok {
		return "http://" + taken
	}
	return s.URL
}

// note writes down what was driven since the last note, as the server itself
// counted it.
func (s *Server) note(t testing.TB, client string) {
	t.Helper()
	file := os.Getenv(RecordVariable)
	if file == "" {
		return
	}
	answer, err := http.Get(s.listens() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, found := range answered.FindAllStringSubmatch(string(text), -1) {
		o := operation{Service: found[2], Route: found[1], Status: found[3]}
		n, _ := strconv.Atoi(found[4])
		fresh := n - s.counted[o]
		s.counted[o] = n
		if fresh > 0 {
			if err := json.NewEncoder(out).Encode(Driven{client, o.Service, o.Route, o.Status, fresh}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
