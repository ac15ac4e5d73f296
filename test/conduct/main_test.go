// Package conduct_test has, for every rule of the conduct report, a client that breaks
// it and one that keeps it, as requests in a journal.
package conduct_test

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

// exchange is a request and its answer.
type exchange struct {
	after     time.Duration // on the world's clock, since the one before
	operation string
	// line is method, path and query; caller is ada unless told, "-" for none.
	line, caller string
	status       int    // 200 unless told
	header       string // of the request, lines of "Name: value"
	answer       string // header of the answer
	body, says   string // bodies of the request and of the answer
	fault        string
	decoded      any // what the body was read into
	// times repeats the exchange, each as long after the one before.
	times int
}

// client is what a client did.
type client []exchange

// pair is a rule with a client that breaks it and one that keeps it.
type pair struct {
	rule      string
	bad, good client
}

func start() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

// record keeps what a client did in a journal.
func record(service string, c client) *journal.Journal {
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	at := start()
	for _, e := range c {
		for range max(1, e.times) {
			at = at.Add(e.after)
			e.keep(j.Begin(context.Background()), service, at)
		}
	}
	return j
}

func (e exchange) keep(d *journal.Draft, service string, at time.Time) {
	method, target, _ := strings.Cut(e.line, " ")
	path, query, _ := strings.Cut(target, "?")
	entry := journal.Entry{
		At: at, Service: service, Operation: e.operation, Method: method, Path: path, Target: path, Query: query,
		Status: e.status, Caller: e.caller,
		RequestHeader: headers(e.header), ResponseHeader: headers(e.answer),
	}
	if entry.Status == 0 {
		entry.Status = http.StatusOK
	}
	switch entry.Caller {
	case "":
		entry.Caller = "personal user=ada"
	case "-":
		entry.Caller = ""
	}
	if entry.RequestHeader["User-Agent"] == nil && !strings.Contains(e.header, "User-Agent") {
		entry.RequestHeader["User-Agent"] = []string{"poller/1.0"}
	}
	d.AddRequest([]byte(e.body))
	d.AddResponse([]byte(e.says))
	if e.fault != "" {
		d.SetFault(e.fault, "f1")
	}
	if e.decoded != nil {
		d.SetDecoded(reflect.TypeOf(e.decoded))
	}
	d.Finish(&entry)
}

func headers(lines string) map[string][]string {
	h := http.Header{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		h.Add(name, strings.TrimSpace(value))
	}
	return h
}

// judge runs all rules over what a client did.
func judge(service string, c client) *conduct.Report {
	return conduct.Run(app.ConductRules(), record(service, c).OldestFirst())
}

func broken(r *conduct.Report) (ids []string) {
	for _, f := range r.Findings {
		ids = append(ids, f.Rule.ID)
	}
	return ids
}

// check runs the pairs of a service and sees that no rule is without one.
func check(t *testing.T, service string, pairs []pair) {
	t.Helper()
	for _, p := range pairs {
		t.Run(p.rule, func(t *testing.T) {
			t.Parallel()
			name := service
			if service == conduct.Everywhere {
				name = "tasks"
			}
			report := judge(name, p.bad)
			if !slices.Contains(broken(report), p.rule) {
				t.Errorf("the client that breaks it broke %v", broken(report))
			}
			for _, f := range report.Findings {
				if len(f.Requests) == 0 || f.Message == "" || f.Count == 0 {
					t.Errorf("%s shows nothing: %+v", f.Rule.ID, f)
				}
			}
			if report := judge(name, p.good); len(report.Findings) > 0 {
				t.Errorf("the client that keeps it broke %v: %s", broken(report), report.Findings[0].Message)
			}
		})
	}
	for _, rule := range app.ConductRules() {
		if rule.Service == service && !slices.ContainsFunc(pairs, func(p pair) bool { return p.rule == rule.ID }) {
			t.Errorf("%s has no clients", rule.ID)
		}
	}
}
