package matrix_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/test/conformance"
)

// secretTexts sends secrets that nothing else has, and knows which request each was in.
type secretTexts struct {
	*owned
	log   *lockedLog
	where map[string]string
	sent  int
}

// lockedLog is what a server logs.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take is what was logged since the last time.
func (l *lockedLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// TestSecrets: a secret that any operation is sent, in a header, a parameter, a part of the path or a member, is in
// no log, no metric, not among the newest requests and not in what is shown of the journal.
func TestSecrets(t *testing.T) {
	t.Parallel()
	log := &lockedLog{}
	h := conformance.Start(t, conformance.Options{Configure: unlimited, Unobserved: true, Log: log})
	s := &secretTexts{
		owned: &owned{writer: newWriter(t, build(t, h)), described: descriptions(t), gets: getPatterns()},
		log:   log, where: map[string]string{},
	}
	h.App().World().Journal.SetMode(journal.Full)
	log.take()
	takesJSON := map[string]bool{}
	for _, o := range describedJSON(t) {
		takesJSON[o.service()+" "+o.name()] = true
	}
	list := operations()
	for _, o := range list {
		h.App().World().Journal.Clear()
		s.inHeaders(t, o)
		s.inQuery(t, o)
		s.inPath(t, o)
		if takesJSON[o.service()+" "+o.name()] {
			s.inMembers(t, o)
		}
		s.look(t, "the log of "+o.name(), log.take())
		s.lookAtJournal(t, o)
	}
	s.look(t, "the newest requests", fmt.Sprintf("%+v", h.App().World().Telemetry.Recent()))
	s.look(t, "the metrics", string(s.direct(conformance.Call{Method: "GET", Path: "/metrics"}).Body))
	t.Logf("%d secrets sent to %d operations", len(s.where), len(list))
}

// secret is a new one.
func (s *secretTexts) secret(o operation, place string) string {
	s.sent++
	text := fmt.Sprintf("canary%06dsecret", s.sent)
	s.where[text] = o.module.Name + " " + o.name() + " " + place
	return text
}

// plain is a request without a credential, which most operations refuse.
func (s *secretTexts) plain(o operation) conformance.Call {
	made := maps.Clone(s.own)
	s.setID(o, made)
	path, _ := fill(o, made)
	method := o.route.Method
	if method == "" {
		method = http.MethodPost
	}
	call := conformance.Call{Method: method, Path: path, Host: o.host, Header: http.Header{}}
	if method != http.MethodGet && method != http.MethodDelete {
		call.Body = "{}"
		call.Header.Set("Content-Type", "application/json")
	}
	return call
}

func (s *secretTexts) inHeaders(t *testing.T, o operation) {
	t.Helper()
	call := s.plain(o)
	s.present(call.Header, o.module.Name, s.secret(o, "credential"))
	s.direct(call)
	for _, name := range []string{"Authorization", "Cookie", "X-Vendor-Api-Key", "SVC-API-KEY", "Pipeline-Token"} {
		call := s.plain(o)
		call.Header.Set(name, "session="+s.secret(o, name))
		s.direct(call)
	}
	call = s.plain(o)
	(&http.Request{Header: call.Header}).SetBasicAuth(s.secret(o, "name"), s.secret(o, "password"))
	s.direct(call)
}

func (s *secretTexts) inQuery(t *testing.T, o operation) {
	t.Helper()
	header, ok := s.credential(t, o, "full")
	for _, name := range []string{
		"key", "token", "access_token", "pipeline-token", "code", "client_secret", "api_key", "application_key", "password",
		"refresh_token", "device_code", "user_code", "state_token",
	} {
		call := s.plain(o)
		if ok && o.route.Method == http.MethodGet {
			maps.Copy(call.Header, header)
		}
		call.Path += "?a=1&" + name + "=" + s.secret(o, name) + "&b=2"
		s.direct(call)
		if call.Method == http.MethodPost {
			call.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			call.Body = url.Values{"a": {"1"}, name: {s.secret(o, "form "+name)}}.Encode()
			s.direct(call)
		}
	}
}

func (s *secretTexts) inPath(t *testing.T, o operation) {
	t.Helper()
	for _, wild := range wildcard.FindAllString(o.route.Pattern, -1) {
		if !telemetry.SecretName(strings.Trim(wild, "{}")) {
			continue
		}
		other := o
		other.route.Pattern = strings.Replace(o.route.Pattern, wild, s.secret(o, wild), 1)
		s.direct(s.plain(other))
	}
}

// inMembers puts secrets into the members that are named like one, of requests that are taken as they are.
func (s *secretTexts) inMembers(t *testing.T, o operation) {
	t.Helper()
	d := s.described[o.module.Name+" "+o.name()]
	for _, path := range textPaths(d, d.body, nil, 0) {
		// A key of a map is no name of a member.
		name, ofMap := path[len(path)-1], strings.Join(path, ".") == "permissions.key"
		if ofMap || !telemetry.SecretName(name) && !secretThough(o, name) {
			continue
		}
		r := s.valid(t, o)
		body, err := json.Marshal(insert(decode(r.call.Body), path, s.secret(o, strings.Join(path, "."))))
		if err != nil {
			t.Fatal(err)
		}
		r.call.Body = string(body)
		s.direct(r.call)
	}
}

// secretThough are secrets whose member has a plain name.
func secretThough(o operation, member string) bool {
	return strings.Contains(o.route.Pattern, "/envvar") && member == "value"
}

var secretForm = regexp.MustCompile(`canary\d{6}secret`)

func (s *secretTexts) look(t *testing.T, what, text string) {
	t.Helper()
	seen := map[string]bool{}
	for _, found := range secretForm.FindAllString(text, -1) {
		if from, ok := s.where[found]; ok && !seen[found] {
			at := strings.Index(text, found)
			t.Errorf("%s has the secret of %s: …%s…", what, from, text[max(0, at-200):min(len(text), at+40)])
		}
		seen[found] = true
	}
	for service, kinds := range s.tokens {
		if kinds["full"] != "" && strings.Contains(text, kinds["full"]) {
			t.Errorf("%s has the token of %s", what, service)
		}
	}
}

// lookAtJournal looks at all that is shown of the records.
func (s *secretTexts) lookAtJournal(t *testing.T, o operation) {
	t.Helper()
	for r := range s.h.App().World().Journal.OldestFirst() {
		s.look(t, "the journal of "+o.name(), fmt.Sprintln(r.Path(), r.Query(), r.Reason(), r.Caller(), r.RequestHeader(),
			r.ResponseHeader(), r.RequestBody(), r.ResponseBody(), r.Unread()))
	}
}
