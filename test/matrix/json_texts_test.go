package matrix_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/adversary"
	"stoa.dev/stoa/test/conformance"
	"stoa.dev/stoa/test/program"
)

var all = flag.Bool("all", false, "send everything to every operation, not a sample of it")

// jsonText is one of the suite: y is to be read, n to be refused, i may be either.
type jsonText struct {
	name, text string
}

func (j jsonText) refused() bool { return j.name[0] == 'n' }

// jsonSuite reads the suite.
func jsonSuite(t *testing.T) []jsonText {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "json_suite.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []jsonText
	kinds := map[byte]int{}
	for line := range strings.Lines(string(file)) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		list = append(list, jsonText{name: name, text: unpack(t, text)})
		kinds[name[0]]++
	}
	if kinds['y'] != 95 || kinds['n'] != 188 || kinds['i'] != 35 {
		t.Fatalf("the suite has %v texts by kind, want 95 y, 188 n and 35 i", kinds)
	}
	return list
}

func unpack(t *testing.T, packed string) string {
	t.Helper()
	if times, text, ok := strings.Cut(packed, "*"); ok {
		n, err := strconv.Atoi(times)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Repeat(text, n)
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(packed, "-"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// jsonSample is how many texts lie between two that the short form sends to an operation;
// the next operation gets others.
const jsonSample = 53

// TestJSONTexts: every operation that takes JSON refuses what is not JSON with 400 in its
// service's envelope, and fails at nothing that is.
func TestJSONTexts(t *testing.T) {
	t.Parallel()
	h := conformance.Start(t, conformance.Options{Configure: unlimited, Unobserved: true})
	f := build(t, h)
	suite := jsonSuite(t)
	sent, asked := 0, 0
	for n, o := range describedJSON(t) {
		asked++
		wanted := cmp.Or(refusedBefore()[o.module.Name+" "+o.name()], http.StatusBadRequest)
		for i, text := range suite {
			if !*all && (i+n*7)%jsonSample != 0 {
				continue
			}
			sent++
			answer := f.sendJSON(t, o, text.text)
			switch {
			case answer.Status >= http.StatusInternalServerError && answer.Status != http.StatusNotImplemented:
				t.Errorf("%s %s: %s is answered with %d %.200s", o.module.Name, o.name(), text.name, answer.Status, answer.Body)
			case !text.refused() || strings.TrimSpace(text.text) == "": // no text at all is no body
				continue
			case answer.Status == http.StatusRequestEntityTooLarge && len(text.text) > int(o.route.MaxBody) &&
				inEnvelope(o, answer):
				continue // it is longer than any body of the operation
			case answer.Status != wanted || !inEnvelope(o, answer):
				t.Errorf("%s %s: %s is answered with %d %.200s; want %d in the service's envelope", o.module.Name, o.name(),
					text.name, answer.Status, answer.Body, wanted)
			}
		}
	}
	t.Logf("%d of %d texts sent to %d operations", sent, asked*len(suite), asked)
	if asked < 100 {
		t.Errorf("only %d operations take JSON: is the list whole?", asked)
	}
}

// sendJSON sends a body to an operation on ada's own objects, as ada.
func (f *fixtures) sendJSON(t *testing.T, o operation, body string) *conformance.Answer {
	t.Helper()
	if o.module.Name == "apikeys" { // it takes away the key that asks
		f.tokens["apikeys"]["full"] = f.h.Key(t, "ada", "apikeys")
	}
	header, ok := f.credential(t, o, "full")
	if !ok {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	path, _ := fill(o, f.own)
	return f.h.Do(t, conformance.Call{
		Method: o.route.Method, Path: path, Host: o.host, Header: header, Body: body, Waits: true,
	})
}

// inEnvelope reports whether a refusal has the form of the operation's contract; one service
// speaks two.
func inEnvelope(o operation, answer *conformance.Answer) bool {
	if o.module.Name == "generate" && bytes.Contains(answer.Body, []byte(`"type":"invalid_request_error"`)) {
		return strings.Contains(o.route.Pattern, "/openai/") || strings.HasPrefix(o.route.Pattern, "/v1/")
	}
	return conformance.InEnvelope(o.module.Name, answer.Status, answer.Body)
}

// refusedBefore are the operations that no user may ask, whatever the body: an application
// shows what it is before the body is read.
func refusedBefore() map[string]int {
	return map[string]int{
		"events POST /app/installations/{id}/access_tokens": http.StatusUnauthorized,
		"events POST /applications/{client_id}/token":       http.StatusNotFound,
		"events PATCH /applications/{client_id}/token":      http.StatusNotFound,
	}
}

// unlimited lifts the rates and, besides, the limits on new content.
func unlimited(c *app.Config) {
	configure(c)
	c.Events.Limits.User, c.Events.Limits.Points = 1<<30, 1<<30
	c.Events.Limits.ContentMinute, c.Events.Limits.ContentHour = 1<<30, 1<<30
	c.Events.Limits.CPU *= 1 << 20
	c.Pipelines.Requests.Burst, c.Pipelines.Requests.Sustained = 1<<30, 1<<30
}

// describedJSON are the operations whose description has a JSON body, those of teams at the
// host of one.
func describedJSON(t *testing.T) []operation {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	described, err := adversary.Operations(app.Tables(), filepath.Join(root, "docs", "openapi"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]adversary.Operation{}
	for _, o := range described {
		if o.Media == "application/json" {
			bodies[o.Service+" "+o.Method+" "+o.Pattern] = o
		}
	}
	var list []operation
	for _, o := range operations() {
		if _, ok := bodies[o.module.Name+" "+o.name()]; ok && !o.route.Refuses && ofTeam(o) == (o.host != "") {
			list = append(list, o)
		}
	}
	return list
}

// ofTeam are the operations that only a team's host has.
func ofTeam(o operation) bool {
	for _, noun := range []string{
		"templates", "projects", "groups", "team_invitations", "team_access_tokens", "reactions", "taggings",
	} {
		if o.module.Name == "articles" && strings.Contains(o.route.Pattern, noun) {
			return true
		}
	}
	return false
}
