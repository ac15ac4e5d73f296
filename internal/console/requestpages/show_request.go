package requestpages

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	worldaddress "stoa.dev/stoa/internal/platform/route/address"
)

func address(r *route.Request, html []byte) []byte { return worldaddress.Page(r.Context(), html) }

// header is one line of a request's or an answer's header.
type header struct{ Name, Value string }

// message is a request or an answer.
type message struct {
	Header []header
	Body   string
	Cut    bool
	// Binary is how many bytes a body has that is no text.
	Binary int
}

func toMessage(h map[string][]string, body string, cut bool) message {
	m := message{Cut: cut}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		m.Header = append(m.Header, header{name, journal.Join(name, h[name])})
	}
	if !utf8.ValidString(body) || strings.ContainsRune(body, 0) {
		m.Binary = len(body)
		return m
	}
	m.Body = body
	var laidOut bytes.Buffer
	if json.Indent(&laidOut, []byte(body), "", "  ") == nil {
		m.Body = laidOut.String()
	} else if form, err := url.ParseQuery(body); err == nil && isForm(h) {
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(form)) {
			lines = append(lines, name+" = "+strings.Join(form[name], ", "))
		}
		m.Body = strings.Join(lines, "\n")
	}
	return m
}

func isForm(h map[string][]string) bool {
	return strings.HasPrefix(strings.Join(h["Content-Type"], ""), "application/x-www-form-urlencoded")
}

// oneBody is the page of one request.
type oneBody struct {
	row
	Operation         string
	RequestID         string
	Number            uint64
	Request, Response message
	Full              bool
	Limits            []journal.Limit
	// FaultLimit says that a fault answered as a limit does.
	FaultLimit   bool
	Caused       []journal.Cause
	Unread       []string
	Curl         string
	Form         string
	Again        again
	Problem      string
	Newer, Older string
}

// again is the form that sends a request again.
type again struct{ Method, Target, Query, Header, Body string }

// One is the page of one request.
func (p *Pages) One(r *route.Request, form string) (Page, error) {
	record, err := p.record(r)
	if err != nil {
		return Page{}, err
	}
	return p.one(r, record, form, "")
}

// ErrGone means that the journal has no request of a number, or has it no more.
var ErrGone = errors.New("console: no such request")

func (p *Pages) record(r *route.Request) (*journal.Record, error) {
	number, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, route.ErrNoRoute
	}
	record := p.o.Journal.Get(number)
	if record == nil {
		return nil, ErrGone
	}
	return record, nil
}

func (p *Pages) one(r *route.Request, record *journal.Record, form, problem string) (Page, error) {
	body := oneBody{
		row: toRow(record), Operation: record.Operation, RequestID: record.RequestID(),
		Number: record.Number(), Limits: record.Limits,
		FaultLimit: record.Fault() != "" && record.Status == http.StatusTooManyRequests,
		Caused:     record.Caused, Unread: record.Unread(), Form: form, Problem: problem,
		Full: p.o.Journal.Mode() == journal.Full,
	}
	if body.Full {
		body.Request = toMessage(record.RequestHeader(), record.RequestBody(), record.RequestCut)
		body.Response = toMessage(record.ResponseHeader(), record.ResponseBody(), record.ResponseCut)
		body.Curl = p.curl(record, p.o.URL(r.Context()))
		body.Again = again{
			Method: record.Method, Target: record.Path(), Query: record.Query(), Body: record.RequestBody(),
		}
	}
	for _, near := range []struct {
		number uint64
		into   *string
	}{{record.Number() + 1, &body.Newer}, {record.Number() - 1, &body.Older}} {
		if near.number > 0 && p.o.Journal.Get(near.number) != nil {
			*near.into = Base + "/" + strconv.FormatUint(near.number, 10)
		}
	}
	return p.render("one", record.Method+" "+record.Path(), body)
}
