package journal

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal/explain"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/wire"
)

// Entry is what is known of a request when it is done.
type Entry struct {
	At        time.Time     // of the world
	Duration  time.Duration // without what a fault held back
	Service   string
	Operation string // name in the route table
	Method    string
	// Path is as it is shown: the pattern where the path holds a secret. Target is
	// the path as sent, escaped; Query is as sent.
	Path, Target, Query string
	Status              int
	Reason              string
	Caller              string
	Host                string
	ByConsole, Page     bool // made by a page of the console; for such a page

	RequestHeader, ResponseHeader map[string][]string
	// Explain says more of a refused credential. It comes with each request: a journal outlives the services whose
	// requests it keeps, and must not keep them too.
	Explain explain.Headers
}

// part is one text of a record; all but the answer's body lie one after the other in
// Record.text.
type part int

const (
	names part = iota // service, operation and method, to be found by text
	path
	query
	target
	reason
	caller
	fault
	faultRule
	host
	requestID // where the header of the answer, which has it, is not kept
	requestHeader
	requestBody
	responseHeader
	parts
)

// Record is one request and its answer. It never changes.
type Record struct {
	// At is the world's time when the request came, Duration the machine's that the
	// service took until it was answered; Delay is what a fault added.
	At        time.Time
	Duration  time.Duration
	Delay     Delay
	Service   string
	Operation string
	Method    string
	Status    int
	// RequestCut and ResponseCut are true where a body was not kept whole.
	RequestCut, ResponseCut bool
	// ByConsole says that a page of the console made the request, and no client; Page that one was asked for.
	ByConsole, Page bool
	Limits          []Limit
	Caused          []Cause

	number uint64
	// after is the newest record that had ended when the request came, and began when
	// that was on the machine's clock, since the journal was made.
	after   uint64
	began   time.Duration
	decoded reflect.Type
	text    string
	ends    [parts]uint32
	// answer is the answer's body: records of the same answer share it.
	answer string
}

// What is kept of a text that a client can make long.
const (
	maxTarget = 8 << 10
	maxReason = 1 << 10
	maxHeader = 16 << 10
)

// Finish keeps the record. What comes afterwards is no part of it.
func (d *Draft) Finish(e *Entry) *Record {
	if d == nil {
		return nil
	}
	e.Reason = e.Explain.Refusal(e.Status, e.Reason, e.RequestHeader)
	r := d.keep(e)
	if s, ok := d.parent.Value(slotKey{}).(*Slot); ok {
		s.put(r)
	}
	return r
}

// keep hands the record to the journal, which copies it and its text.
func (d *Draft) keep(e *Entry) *Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	full := d.bodies != nil
	if !full {
		d.bodies = takeBodies()
	}
	b := d.bodies
	r := &b.record
	*r = Record{
		At: e.At, Duration: e.Duration, Service: e.Service, Operation: e.Operation, Method: e.Method, Status: e.Status,
		Limits: d.limits, Caused: d.caused, decoded: d.decoded, after: d.after, began: d.began,
		Delay: d.delay, ByConsole: e.ByConsole, Page: e.Page,
	}
	w := writer{record: r, text: b.text}
	w.text = append(append(append(w.text, e.Service...), ' '), e.Operation...)
	w.add(names, " "+e.Method, maxReason)
	w.add(path, e.Path, maxTarget)
	if full {
		w.add(query, e.Query, maxTarget)
		w.add(target, e.Target, maxTarget)
	} else {
		w.add(query, telemetry.MaskQuery(e.Query), maxTarget)
		w.add(target, "", 0)
	}
	w.add(reason, e.Reason, maxReason)
	w.add(caller, e.Caller, maxReason)
	w.add(fault, d.fault, maxReason)
	w.add(faultRule, d.faultRule, maxReason)
	w.add(host, e.Host, maxReason)
	if full {
		w.add(requestID, "", 0)
		w.addBodies(e, b)
	} else {
		w.add(requestID, Join(idHeader, e.ResponseHeader[idHeader]), maxReason)
		w.skipTo(parts)
	}
	b.text = w.text
	kept := d.journal.add(r, b.text, b.response)
	d.release()
	return kept
}

// writer puts the texts of a record together.
type writer struct {
	record *Record
	text   []byte
}

func (w *writer) add(p part, s string, limit int) {
	w.text = append(w.text, s[:min(len(s), limit)]...)
	w.record.ends[p] = uint32(len(w.text))
}

// skipTo leaves the parts that follow empty.
func (w *writer) skipTo(end part) {
	for p := requestHeader; p < end; p++ {
		w.record.ends[p] = uint32(len(w.text))
	}
}

func (w *writer) addBodies(e *Entry, b *bodies) {
	r := w.record
	r.RequestCut, r.ResponseCut = b.requestCut, b.responseCut
	if unkept(e.RequestHeader) {
		r.RequestCut, b.request = r.RequestCut || len(b.request) > 0, b.request[:0]
	}
	if unkept(e.ResponseHeader) {
		r.ResponseCut, b.response = r.ResponseCut || len(b.response) > 0, b.response[:0]
	}
	w.addHeader(requestHeader, e.RequestHeader)
	w.text = append(w.text, b.request...)
	r.ends[requestBody] = uint32(len(w.text))
	w.addHeader(responseHeader, e.ResponseHeader)
}

// addHeader writes names and values, each with a NUL after it, which none has.
func (w *writer) addHeader(p part, h map[string][]string) {
	begin := len(w.text)
	for name, values := range h {
		for _, value := range values {
			if len(w.text)-begin+len(name)+len(value) > maxHeader {
				continue
			}
			w.text = append(w.text, name...)
			w.text = append(w.text, 0)
			w.text = append(w.text, value...)
			w.text = append(w.text, 0)
		}
	}
	w.record.ends[p] = uint32(len(w.text))
}

// unkept reports whether a body of this type is not kept: pages may show a secret
// once, in words that no rule finds, and what git sends is packed.
func unkept(h map[string][]string) bool {
	values := h["Content-Type"]
	return len(values) > 0 && (strings.HasPrefix(values[0], "text/html") ||
		strings.HasPrefix(values[0], "application/x-git-"))
}

func (r *Record) size() int64 {
	return int64(len(r.text)+len(r.answer)) + 336 + 48*int64(len(r.Limits)+len(r.Caused))
}

func (r *Record) part(p part) string {
	begin := uint32(0)
	if p > 0 {
		begin = r.ends[p-1]
	}
	return r.text[begin:r.ends[p]]
}

// Number orders the records of a journal; ID is it as a text.
func (r *Record) Number() uint64 { return r.number }

// ID names the record.
func (r *Record) ID() string { return strconv.FormatUint(r.number, 10) }

// Path is the path without the prefix of the world; where it holds a secret, the
// pattern of the route.
func (r *Record) Path() string { return r.part(path) }

// Query is the query with secrets masked.
func (r *Record) Query() string { return telemetry.MaskQuery(r.part(query)) }

// Reason says why the request was refused; empty when it was not.
func (r *Record) Reason() string { return r.part(reason) }

// Caller is who asked, as the log has it; empty for an anonymous request.
func (r *Record) Caller() string { return r.part(caller) }

// idHeader holds the request's id in an answer.
const idHeader = "X-Request-Id"

// RequestID is the request's id as its answer has it.
func (r *Record) RequestID() string {
	if id := r.part(requestID); id != "" {
		return id
	}
	return Join(idHeader, r.header(responseHeader)[idHeader])
}

// Fault is the name of the fault that hit.
func (r *Record) Fault() string { return r.part(fault) }

// FaultRule is the id of the rule that the fault is of.
func (r *Record) FaultRule() string { return r.part(faultRule) }

// RequestHeader is the request's header with secrets masked.
func (r *Record) RequestHeader() map[string][]string { return maskHeader(r.header(requestHeader)) }

// ResponseHeader is the answer's header with secrets masked.
func (r *Record) ResponseHeader() map[string][]string { return maskHeader(r.header(responseHeader)) }

// RequestBody is the request's body, unpacked and with secrets masked.
func (r *Record) RequestBody() string {
	return r.masked(r.part(requestBody), r.header(requestHeader))
}

// ResponseBody is the answer's body, unpacked and with secrets masked.
func (r *Record) ResponseBody() string {
	return r.masked(r.answer, r.header(responseHeader))
}

// Unread are the members of the request's body that were not read, as JSON
// pointers; none where the body was not decoded, or not kept whole.
func (r *Record) Unread() []string {
	if r.decoded == nil || r.RequestCut {
		return nil
	}
	return wire.Unread(r.decoded, []byte(unpack(r.part(requestBody), r.header(requestHeader))))
}

func (r *Record) header(p part) map[string][]string {
	h := map[string][]string{}
	for rest := r.part(p); rest != ""; {
		var name, value string
		name, rest, _ = strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(rest, "\x00")
		h[name] = append(h[name], value)
	}
	return h
}

// Sent is a request as it was sent, with its secrets.
type Sent struct {
	Method, Host, Target, Query string
	Header                      map[string][]string
	Body                        string
}

// Sent is what it takes to send the request again; false where it was not kept
// whole.
func (r *Record) Sent() (Sent, bool) {
	whole := !r.RequestCut && r.part(target) != "" && len(r.part(target)) < maxTarget && len(r.part(query)) < maxTarget
	return Sent{
		Method: r.Method, Host: r.part(host), Target: r.part(target), Query: r.part(query),
		Header: r.header(requestHeader), Body: r.part(requestBody),
	}, whole
}

// Names are the names of a header, sorted.
func Names(h map[string][]string) []string {
	return slices.SortedFunc(maps.Keys(h), cmp.Compare[string])
}

// Join is the values of a header in one text.
func Join(name string, values []string) string {
	if name == "Set-Cookie" {
		return strings.Join(values, "\n")
	}
	return strings.Join(values, ", ")
}
